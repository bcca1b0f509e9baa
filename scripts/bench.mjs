// Installs and builds what is missing, then runs the benchmarks. They have their own dependencies, so that
// the products to compare with stay out of this package.
import { join } from "node:path";
import { ensureBuilt, ensureInstalled } from "./ensure.mjs";
import { root, run } from "./project.mjs";

const bench = join(root, "bench");

ensureInstalled();
ensureInstalled(bench, "the benchmarks' dependencies");
ensureBuilt();
process.exitCode = run(process.execPath, [join(bench, "main.mjs"), ...process.argv.slice(2)]);
