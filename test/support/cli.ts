import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { ChildProgram } from "./child-program.js";
import { API_TOKEN } from "./http-server.js";
import { translated } from "./translated.js";

const MAIN = new URL("../../src/cli/main.ts", import.meta.url);

/** What a command left behind. */
export class Finished {
  constructor(
    readonly code: number | null,
    readonly stdout: string,
    readonly stderr: string,
  ) {}

  get json(): unknown {
    return JSON.parse(this.stdout) as unknown;
  }

  get lines(): readonly unknown[] {
    return this.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  }

  /** For `-o ids`. */
  get words(): readonly string[] {
    return this.stdout.split(/\s+/).filter((word) => word !== "");
  }
}

export interface CliSettings {
  /** Besides `PATH`. `undefined` leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly cwd?: string;
  /** A file for its output, which is then not seen here. */
  readonly stdoutTo?: string;
  /** The program instead of the real one. */
  readonly program?: URL;
}

/** Runs the real command line against a server, in a process without a terminal, to its end. */
export async function runCli(
  server: { readonly url: string } | null,
  args: readonly string[],
  settings: CliSettings = {},
): Promise<Finished> {
  const child = spawnCli(server, args, settings);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined);
  child.stdin.end(settings.stdin ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return new Finished(code, stdout, stderr);
}

/** The same for a command that goes on until it is told to end. */
export function startCli(
  server: { readonly url: string } | null,
  args: readonly string[],
  settings: CliSettings = {},
): ChildProgram<never, never> {
  const child = spawnCli(server, args, settings);
  const program = new ChildProgram<never, never>(child);
  onTestFinished(async () => {
    program.kill("SIGKILL");
    await program.exited;
  });
  return program;
}

function spawnCli(
  server: { readonly url: string } | null,
  args: readonly string[],
  { env, cwd, stdoutTo, program = MAIN }: CliSettings,
) {
  const all = {
    PATH: process.env["PATH"],
    KONVEIER_URL: server?.url,
    KONVEIER_TOKEN: API_TOKEN,
    ...env,
  };
  const command = [process.execPath, translated(program), ...args];
  // The shell opens the file, as it would for a user, and becomes the command.
  const script = stdoutTo === undefined ? 'exec "$@"' : `exec "$@" > ${stdoutTo}`;
  return spawn("/bin/sh", ["-c", script, "sh", ...command], {
    env: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    ...(cwd !== undefined && { cwd }),
    stdio: "pipe",
  });
}
