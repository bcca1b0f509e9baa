import type { ExitCode } from "./exit-codes.js";

/** Why the program cannot start, as text for the person who started it: what is wrong and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";

  constructor(
    message: string,
    readonly exitCode: ExitCode,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
