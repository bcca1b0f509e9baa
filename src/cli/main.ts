#!/usr/bin/env node
import { EXIT } from "./exit-codes.js";
import { createProgram } from "./program.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // `serve` goes on, see `surviveBrokenPipes`.
  if (process.stdout.listenerCount("error") > 1) return;
  // `konveier jobs list | head -1`: who reads has had enough.
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  console.error(`konveier: The output cannot be written: ${error.message}`);
  process.exit(EXIT.failure);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  const { failureOf } = await import("./failure.js");
  const { text, exitCode } = failureOf(error);
  console.error(`konveier: ${text}`);
  process.exitCode = exitCode;
}
