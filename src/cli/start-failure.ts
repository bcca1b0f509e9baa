import { isStoreError } from "../core/errors.js";
import type { ServeConfig } from "./serve-config.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { StartError } from "./start-error.js";

export interface StartFailure {
  readonly text: string;
  readonly exitCode: ExitCode;
  /** Whether it is a defect of the program rather than of its surroundings: then the stack is worth showing. */
  readonly unexpected: boolean;
}

/** What to tell the person whose start failed, and how the process ends. */
export function startFailure(
  error: unknown,
  { host, port }: Pick<ServeConfig, "host" | "port">,
): StartFailure {
  if (error instanceof StartError) {
    return { text: error.message, exitCode: error.exitCode, unexpected: false };
  }
  if (isStoreError(error)) return { text: error.message, exitCode: EXIT.failure, unexpected: false };
  const advice = listenAdvice(error as NodeJS.ErrnoException, host, port);
  if (advice !== null) return { text: advice, exitCode: EXIT.failure, unexpected: false };
  return {
    text: `Something unexpected failed: ${error instanceof Error ? error.message : String(error)}`,
    exitCode: EXIT.failure,
    unexpected: true,
  };
}

/** For the errors of listening, by their system code. */
function listenAdvice({ code, syscall }: NodeJS.ErrnoException, host: string, port: number): string | null {
  if (syscall !== "listen" && syscall !== "getaddrinfo") return null;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is taken by another program. Stop that program, or choose another port, such as PORT=${otherPort(port)}.`;
    case "EACCES":
    case "EPERM":
      return `Port ${port} may not be opened by this user. Choose a port above 1023, such as PORT=8085.`;
    case "EADDRNOTAVAIL":
      return `HOST ${host} is no address of this machine. Use 127.0.0.1 for this machine alone, or 0.0.0.0 for all its addresses.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST ${host} cannot be resolved. Use an IP address such as 127.0.0.1.`;
    default:
      return null;
  }
}

function otherPort(port: number): number {
  return port < 65_535 ? port + 1 : 8085;
}
