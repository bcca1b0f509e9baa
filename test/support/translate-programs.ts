import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { TRANSLATED } from "./translated.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Below `node_modules`, so that packages are found from there. */
const CACHE = join(ROOT, "node_modules", ".cache");
/** What the sources read or import beside themselves. */
const BESIDE = ["package.json", "dist", "docs", "examples", "scripts"];

/**
 * Before all tests: translates what they start in processes of its own to JavaScript, which takes half a second. To
 * translate it in each process would take longer than most of these processes live.
 */
export default async function translatePrograms(): Promise<() => void> {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, "konveier-test-"));
  const entryPoints = ["src", "test"].flatMap((folder) => sourcesIn(folder));
  await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: directory,
    outbase: ".",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  for (const store of ["sqlite", "postgres"]) {
    const migrations = join("src", "store", store, "migrations");
    cpSync(join(ROOT, migrations), join(directory, migrations), { recursive: true });
  }
  for (const name of BESIDE) symlinkSync(join(ROOT, name), join(directory, name));
  process.env[TRANSLATED] = directory;
  return () => {
    rmSync(directory, { recursive: true, force: true });
  };
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<![.]test)[.]ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
