// Runs the command line with the arguments that it is given, and says at its end which packages were loaded.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { cache } = createRequire(import.meta.url);

process.on("exit", () => {
  const packages = Object.keys(cache).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  writeFileSync(process.env["LOADED"] ?? "", JSON.stringify([...new Set(packages)]));
});

await import("../../../src/cli/main.js");
