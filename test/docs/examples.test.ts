import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDirectory } from "../support/temp-directory.js";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const hasPython =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

function endWithoutToken(command: string, file: string): [number | null, string] {
  const env = { PATH: process.env["PATH"] };
  const { status, stderr } = spawnSync(command, [file], { env, encoding: "utf8" });
  return [status, stderr];
}

const SAID: [number, string] = [1, "Set API_TOKEN to a token of the server, such as demo.\n"];

test("the worker for Node.js says what to set", () => {
  expect(endWithoutToken(process.execPath, join(EXAMPLES, "node/remote-worker.mjs"))).toEqual(SAID);
});

test.skipIf(!hasPython)("the worker for Python says what to set", () => {
  const directory = tempDirectory();
  cpSync(join(EXAMPLES, "python/konveier_worker.py"), join(directory, "konveier_worker.py"));
  const page = readFileSync(join(EXAMPLES, "python/README.md"), "utf8");
  const program = join(directory, "worker.py");
  writeFileSync(program, /```python\n([^]*?)```/.exec(page)?.[1] ?? "");
  expect(endWithoutToken("python3", program)).toEqual(SAID);
});
