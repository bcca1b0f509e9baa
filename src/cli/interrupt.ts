import { CommandError } from "./command-error.js";
import { EXIT } from "./exit-codes.js";

/**
 * A signal that aborts at the first Ctrl-C or SIGTERM with an error that ends the program with 130; the second one
 * ends it at once.
 *
 * @param message what to tell: what goes on, and how to look at it
 */
export function interruption(message: () => string): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort(new CommandError(message(), EXIT.interrupted));
    });
  }
  return controller.signal;
}
