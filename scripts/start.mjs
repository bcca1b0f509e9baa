// Installs and builds what is missing, then becomes `konveier serve`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt, ensureInstalled } from "./ensure.mjs";
import { dist } from "./project.mjs";

ensureInstalled();
ensureBuilt();

// In this process rather than a child, so that signals reach the server directly.
const main = join(dist, "cli", "main.js");
process.argv = [process.execPath, main, "serve", ...process.argv.slice(2)];
await import(pathToFileURL(main).href);
