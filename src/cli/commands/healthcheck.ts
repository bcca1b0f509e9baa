import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { localUrl } from "../local-url.js";

interface HealthcheckFlags {
  readonly url?: string;
  readonly ready?: true;
}

/** In all, also for a server that takes the connection and says nothing. */
const LIMIT_MS = 3_000;

export function addHealthcheck(program: Command): void {
  program
    .command("healthcheck")
    .description("ask the server on this machine whether it is well; prints nothing when it is")
    .option("--url <url>", "the server (default: HOST and PORT of the environment)")
    .option("--ready", "ask /readyz instead of /healthz: also the database, and not while stopping")
    .addHelpText(
      "after",
      "\nExit codes: 0 well, 1 not well or no answer within 3 s.\n\nExamples:\n  konveier healthcheck\n  konveier healthcheck --ready --url http://127.0.0.1:8085",
    )
    .action(async (flags: HealthcheckFlags) => {
      // The answer may still be on its way, and nobody waits for it any more.
      process.exit(await healthcheck(flags));
    });
}

async function healthcheck({ url, ready }: HealthcheckFlags): Promise<ExitCode> {
  const base = url ?? localUrl(process.env);
  const path = ready === true ? "/readyz" : "/healthz";
  try {
    const { status } = await fetch(new URL(path, base), {
      redirect: "error",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (status === 200) return EXIT.ok;
    console.error(`konveier: ${path} answered ${status}`);
  } catch (error) {
    const { message, cause } = error as Error;
    console.error(`konveier: ${path}: ${cause instanceof Error ? cause.message : message}`);
  }
  return EXIT.failure;
}
