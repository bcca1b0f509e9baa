import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { ChildProgram, type Exit } from "./child-program.js";
import { translated } from "./translated.js";

const MAIN = new URL("../../src/cli/main.ts", import.meta.url);

export const TOKEN = "token-of-the-tests";

export interface ServeSettings {
  /** The whole environment, besides `PATH`, a free port and an API token. `undefined` leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The program, if not the one of this project. */
  readonly main?: URL;
  /** A shell command to run first, such as `umask 000`. */
  readonly before?: string;
}

/** The real `konveier serve` in a process of its own, killed when the present test ends. */
export function spawnServer({
  env,
  args = ["serve"],
  cwd,
  main = MAIN,
  before,
}: ServeSettings): ServerProcess {
  const all = { PATH: process.env["PATH"], PORT: "0", API_TOKEN: TOKEN, ...env };
  const command = [process.execPath, translated(main), ...args];
  const [program = "", ...rest] =
    before === undefined ? command : ["/bin/sh", "-c", `${before}; exec "$@"`, "sh", ...command];
  const child = spawn(program, rest, {
    cwd,
    env: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const server = new ServerProcess(child, all.API_TOKEN);
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await server.exited;
  });
  return server;
}

/** Resolves when the server has said where it listens. */
export async function startServer(settings: ServeSettings): Promise<ServerProcess> {
  const server = spawnServer(settings);
  await server.ready();
  return server;
}

/** The answer to a request, its JSON already read. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

type LogLine = Readonly<Record<string, unknown>>;

export class ServerProcess {
  readonly #program: ChildProgram<never, never>;
  #stdout = "";
  #stderr = "";

  constructor(
    private readonly child: ReturnType<typeof spawn>,
    private readonly token: string | undefined,
  ) {
    child.stdout?.on("data", (text: Buffer | string) => (this.#stdout += text.toString()));
    child.stderr?.on("data", (text: Buffer | string) => (this.#stderr += text.toString()));
    // After the listeners above, so that they have run whenever it looks at what has come.
    this.#program = new ChildProgram(child);
  }

  /** Everything that it wrote to its standard output. */
  get stdout(): string {
    return this.#stdout;
  }

  /** Everything that it wrote to its standard error: messages and the log. */
  get stderr(): string {
    return this.#stderr;
  }

  get exited(): Promise<Exit> {
    return this.#program.exited;
  }

  get url(): string {
    const url = /^Konveier \S+ is ready at (\S+)$/m.exec(this.#stdout)?.[1];
    if (url === undefined) throw new Error(`The server has not started: ${this.#program.output}`);
    return url;
  }

  async ready(): Promise<void> {
    await this.#program.until(() => this.#stdout.includes("Ctrl-C"));
  }

  kill(signal: NodeJS.Signals): void {
    this.#program.kill(signal);
  }

  /** Stops it as an operator does. */
  async stop(): Promise<Exit> {
    this.kill("SIGTERM");
    return this.exited;
  }

  /** Reads no more of its output: what `| head -1` does. */
  closeOutput(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  get log(): readonly LogLine[] {
    const lines = this.#stderr.split("\n").slice(0, -1);
    return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as LogLine);
  }

  /** The first line of the log about this event, as soon as it is there. */
  async logged(event: string): Promise<LogLine> {
    const find = () => this.log.find((line) => line["event"] === event);
    await this.#program.until(() => find() !== undefined);
    return find()!;
  }

  async request<Body>(method: string, path: string, json?: unknown): Promise<Answer<Body>> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  get<Body>(path: string): Promise<Answer<Body>> {
    return this.request("GET", path);
  }

  post<Body>(path: string, json: unknown): Promise<Answer<Body>> {
    return this.request("POST", path, json);
  }
}

/**
 * Asks until the answer fits. The bound is only there so that a test that fails ends; each question takes
 * some time in another process, so this is no busy loop.
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (performance.now() > end) throw new Error(`Still not after ${withinMs} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
