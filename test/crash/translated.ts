import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDERS = [
  "src/core",
  "src/cron",
  "src/store",
  "src/engine",
  "src/worker",
  "test/crash",
  "test/processes",
  "test/support",
];
const TOP_LEVEL = [
  "src/konveier.ts",
  "src/jobs.ts",
  "src/queues.ts",
  "src/schedules.ts",
  "src/open-store.ts",
];

/**
 * The sources as JavaScript in a directory of their own. Where a test starts a great many processes,
 * translating in each of them would take most of its time.
 */
export class Translated {
  readonly #directory = mkdtempSync(join(tmpdir(), "konveier-translated-"));

  constructor() {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    );
    for (const file of [...TOP_LEVEL, ...files]) this.#add(file);
    writeFileSync(join(this.#directory, "package.json"), '{ "type": "module" }');
    symlinkSync(join(ROOT, "node_modules"), join(this.#directory, "node_modules"));
  }

  /** Where the translation of a source file is. */
  program(file: string): URL {
    return pathToFileURL(join(this.#directory, file.replace(/\.ts$/, ".js")));
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }

  #add(file: string): void {
    if (file.endsWith(".ts") && !file.endsWith(".test.ts")) {
      const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), "utf8"), {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      });
      this.#write(file.replace(/\.ts$/, ".js"), outputText);
    } else if (file.endsWith(".sql")) {
      this.#write(file, readFileSync(join(ROOT, file), "utf8"));
    }
  }

  #write(file: string, text: string): void {
    const path = join(this.#directory, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
