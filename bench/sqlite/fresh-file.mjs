import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Path of a database that does not exist yet, in a directory that goes away with the process. */
export function freshFile() {
  const directory = mkdtempSync(join(tmpdir(), "konveier-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "bench.db");
}
