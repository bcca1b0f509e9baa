import { join } from "node:path";
import type { ChildProgram } from "../support/child-program.js";
import { startProgram } from "../support/child-program.js";
import { tempDirectory } from "../support/temp-directory.js";
import type { WatchedServerCommand, WatchedServerMessage } from "./programs/watched-server.js";

type Message<Type> = Extract<WatchedServerMessage, { type: Type }>;

export const ADMIN_TOKEN = "token-of-the-tests";

/** A server in a process of its own that can be asked what it holds in memory. */
export class WatchedServer {
  #measures = 0;

  private constructor(
    readonly url: string,
    readonly file: string,
    private readonly program: ChildProgram<WatchedServerMessage, WatchedServerCommand>,
  ) {}

  static async start(): Promise<WatchedServer> {
    const file = join(tempDirectory(), "konveier.db");
    const program = startProgram<WatchedServerMessage, WatchedServerCommand>(
      new URL("./programs/watched-server.ts", import.meta.url),
      { file, apiToken: ADMIN_TOKEN },
    );
    const { url } = await program.message((message) => message.type === "ready");
    return new WatchedServer(url, file, program);
  }

  /** After a garbage collection. */
  async measure(): Promise<Message<"measured">> {
    const number = (this.#measures += 1);
    this.program.send({ type: "measure", number });
    const measured = await this.program.message(
      (message): message is Message<"measured"> => message.type === "measured" && message.number === number,
    );
    return measured;
  }

  /** Stops it as `konveier serve` does. @returns answers that broke the contract, and errors of its log */
  async stop(): Promise<Message<"stopped">> {
    this.program.send({ type: "stop" });
    return this.program.message((message) => message.type === "stopped");
  }

  /** Resolves when the process has ended by itself. */
  get exited(): Promise<{ readonly code: number | null }> {
    return this.program.exited;
  }
}
