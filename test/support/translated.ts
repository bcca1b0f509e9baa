import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Names the directory with the translated sources, see `translate-programs.ts`. */
export const TRANSLATED = "KONVEIER_TEST_TRANSLATED";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What Node.js runs instead of a TypeScript file of this project. Other files are run as they are. */
export function translated(program: URL): string {
  const file = fileURLToPath(program);
  const directory = process.env[TRANSLATED];
  if (!file.endsWith(".ts")) return file;
  if (directory === undefined) throw new Error("Nothing was translated: start the tests with vitest");
  return join(directory, relative(ROOT, file).replace(/ts$/, "js"));
}
