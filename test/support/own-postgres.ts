import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { translated } from "./translated.js";

const SIGNALS = {
  /** Rolls back what is open and closes. */
  fast: "SIGINT",
  /** Leaves everything as a crash does. */
  immediate: "SIGQUIT",
} as const;

export type Shutdown = keyof typeof SIGNALS;

/** A PostgreSQL server that one test has for itself, to be stopped and started. Its data survive that. */
export class OwnPostgres {
  private constructor(
    private readonly program: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const program = fork(translated(new URL("postgres-program.ts", import.meta.url)));
    const exited = once(program, "exit");
    onTestFinished(async () => {
      program.disconnect();
      await exited;
    });
    const [url] = (await once(program, "message")) as [string];
    return new OwnPostgres(program, url);
  }

  stop(how: Shutdown): Promise<void> {
    return this.#order(SIGNALS[how]);
  }

  startAgain(): Promise<void> {
    return this.#order("start");
  }

  async #order(order: NodeJS.Signals | "start"): Promise<void> {
    const done = once(this.program, "message");
    this.program.send(order);
    await done;
  }
}
