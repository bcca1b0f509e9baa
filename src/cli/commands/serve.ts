import type { Command } from "commander";
import type { ServeFlags } from "../config.js";
import { settingsHelp } from "../settings-help.js";

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("start the HTTP server with a worker in the same process")
    .option("--host <address>", "address to listen on (HOST, default 127.0.0.1)")
    .option("--port <number>", "port to listen on, 0 for any free one (PORT, default 8085)")
    .option("--database <url>", "database (DATABASE_URL, default sqlite:./data/konveier.db)")
    .addHelpText("after", `\n${settingsHelp()}`)
    .action(async (flags: ServeFlags) => {
      // Loaded only when it is wanted: help and version should not wait for a server.
      const { serve } = await import("../serve.js");
      await serve(flags);
    });
}
