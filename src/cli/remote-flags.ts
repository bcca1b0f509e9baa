import { Option, type Command } from "commander";
import type { ExitCode } from "./exit-codes.js";
import type { Format } from "./output/formats.js";

/** What every command that talks to a server takes. */
export interface RemoteFlags {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly output?: Format;
}

/**
 * Adds the options for the server and, unless the command has only one form, that for the format.
 *
 * @param formats what the output may be
 */
export function addRemoteOptions(command: Command, formats: readonly Format[]): Command {
  command
    .optionsGroup("Server:")
    .option("--url <url>", "where the server is (KONVEIER_URL, default http://localhost:8085)")
    .option(
      "--token-file <path>",
      "file that holds the token (KONVEIER_TOKEN, API_TOKEN, each also as …_FILE)",
    );
  if (formats.length > 0) {
    const meaning = "default: a table on a terminal, else JSON, one line for each item of a list";
    command
      .optionsGroup("Output:")
      .addOption(new Option("-o, --output <format>", meaning).choices([...formats]));
  }
  return command;
}

/** Examples at the end of the help. */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
  return command.addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ ${line}`).join("\n")}\n`);
}

/** An action whose code is loaded when it runs: help and version need none of it. */
export function lazily<Arguments extends readonly unknown[]>(
  load: () => Promise<(...given: Arguments) => Promise<ExitCode>>,
): (...given: Arguments) => Promise<void> {
  return async (...given) => {
    const act = await load();
    process.exitCode = await act(...given);
  };
}
