import { spawn, type ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";
import { translated } from "./translated.js";

/** How a program ended: with a code, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a program in a process of its own. It finds `input` as JSON in its first argument and talks to
 * the test through `process.send`. Whatever becomes of the test, the process ends with it.
 *
 * @param program a TypeScript file, or JavaScript that needs no translation
 */
export function startProgram<Message = never, Command = never>(
  program: URL,
  input: unknown,
): ChildProgram<Message, Command> {
  const child = spawn(process.execPath, [translated(program), JSON.stringify(input)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const started = new ChildProgram<Message, Command>(child);
  onTestFinished(async () => {
    started.kill("SIGKILL");
    await started.exited;
  });
  return started;
}

export class ChildProgram<Message, Command> {
  /** Everything that the program said, oldest first. */
  readonly messages: Message[] = [];
  readonly exited: Promise<Exit>;
  #output = "";
  #exit: Exit | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly child: ChildProcess) {
    child.on("message", (message) => {
      this.messages.push(message as Message);
      this.#wake();
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        this.#wake();
      });
    }
    this.exited = new Promise((resolve) => {
      child.on("error", (error) => {
        this.#output += String(error);
        this.#ended({ code: null, signal: null }, resolve);
      });
      // "close" and not "exit": what the program said last has arrived by then.
      child.on("close", (code, signal) => {
        this.#ended({ code, signal }, resolve);
      });
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`The program did not start: ${this.#output}`);
    return this.child.pid;
  }

  /** What it wrote to its standard output and standard error. */
  get output(): string {
    return this.#output;
  }

  send(command: Command): void {
    this.child.send(command as object);
  }

  /** Does nothing when the program has ended. */
  kill(signal: NodeJS.Signals): void {
    if (this.#exit === null) this.child.kill(signal);
  }

  /** The first message that fits, as soon as there is one. Rejects when the program ends without it. */
  async message<Wanted extends Message>(fits: (message: Message) => message is Wanted): Promise<Wanted>;
  async message(fits: (message: Message) => boolean): Promise<Message>;
  async message(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined) return found;
      await this.#news();
    }
  }

  /** Resolves when `condition` holds. Looks again after every message and output; rejects when the program ends before. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#news();
  }

  async #news(): Promise<void> {
    if (this.#exit !== null) {
      throw new Error(`The program ended (${JSON.stringify(this.#exit)}) too early: ${this.#output}`);
    }
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #ended(exit: Exit, resolve: (exit: Exit) => void): void {
    this.#exit = exit;
    resolve(exit);
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
