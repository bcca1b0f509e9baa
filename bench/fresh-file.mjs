import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Path of a database that does not exist yet, in a directory that goes away with the process. */
export function freshFile() {
  const directory = mkdtempSync(join(tmpdir(), "konveier-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "bench.db");
}

/** About 130 bytes of JSON. */
export function payload(number) {
  return { to: "someone@example.com", subject: "Your invoice", number, text: "x".repeat(50) };
}

/** Jobs per second of what `work` does. */
export async function rate(jobs, work) {
  const began = performance.now();
  await work();
  return (jobs / (performance.now() - began)) * 1000;
}
