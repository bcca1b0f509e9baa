#!/usr/bin/env node
import { EXIT } from "./exit-codes.js";
import { createProgram } from "./program.js";

// `konveier jobs list | head -1`: who reads has had enough. `serve` goes on, see `surviveBrokenPipes`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" && process.stdout.listenerCount("error") === 1) process.exit(EXIT.ok);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  const { failureOf } = await import("./failure.js");
  const { text, exitCode } = failureOf(error);
  console.error(`konveier: ${text}`);
  process.exitCode = exitCode;
}
