// npm run bench [-- sqlite|postgres] [--quick] [--json FILE]
//
// Installs and builds what is missing, then runs the benchmarks of a store, by default SQLite's. They have their own
// dependencies, so that the products to compare with stay out of this package.
import { join } from "node:path";
import { ensureBuilt, ensureInstalled } from "./ensure.mjs";
import { root, run } from "./project.mjs";

const STORES = ["sqlite", "postgres"];

const bench = join(root, "bench");
const [first, ...rest] = process.argv.slice(2);
const [store, options] = STORES.includes(first) ? [first, rest] : ["sqlite", process.argv.slice(2)];

ensureInstalled();
ensureInstalled(bench, "the benchmarks' dependencies");
ensureBuilt();
process.exitCode = run(process.execPath, [join(bench, store, "main.mjs"), ...options]);
