import { pino, type DestinationStream, type Logger } from "pino";
import type { ServeConfig } from "./serve-config.js";

/**
 * The logger of the process. It writes to stderr, so that stdout holds nothing but what was asked for.
 * Writing is synchronous: the last line before an exit is there.
 */
export async function createLogger({ level, format }: ServeConfig["log"]): Promise<Logger> {
  const pretty = format === "pretty" || (format === "auto" && process.stderr.isTTY);
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, pretty ? await prettyStream() : process.stderr);
}

async function prettyStream(): Promise<DestinationStream> {
  const { prettyFactory } = await import("pino-pretty");
  const prettify = prettyFactory({
    colorize: process.stderr.isTTY && !process.env["NO_COLOR"],
    // The message says the event in words, and this process has one worker.
    ignore: "event,workerId",
    singleLine: true,
    translateTime: "SYS:HH:MM:ss",
  });
  return {
    write(line) {
      process.stderr.write(prettify(JSON.parse(line, withoutControlCharacters)));
    },
  };
}

/** Text of a job may hold what would move the cursor of a terminal or hide a line of it. */
function withoutControlCharacters(_key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, "\ufffd");
}
