import type { ExitCode } from "./exit-codes.js";

/** Why a command cannot do what it was asked for: one sentence for a person, and how the process ends. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(
    message: string,
    readonly exitCode: ExitCode,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
