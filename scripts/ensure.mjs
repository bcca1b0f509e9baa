// Does what is missing: installs the dependencies, builds the product. Safe on a fresh clone.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildStamp, dashboard, installStamp, root, runOrExit, src } from "./project.mjs";

/** Installs when `node_modules` is absent, incomplete or older than the lock file. */
export function ensureInstalled(directory = root, label = "dependencies") {
  const lockFile = join(directory, "package-lock.json");
  const installed = modified(installStamp(directory));
  if (installed > 0 && installed >= modified(lockFile)) return;

  console.log(`Installing ${label} (a minute or two: a native add-on may have to be compiled)`);
  const command = existsSync(lockFile) ? "ci" : "install";
  // Building needs the development dependencies, also where NODE_ENV is "production".
  runOrExit("npm", [command, "--include=dev", "--no-audit", "--no-fund"], directory);
}

/** Builds when there is no complete build or a source has changed since it began. */
export function ensureBuilt() {
  const built = modified(buildStamp);
  if (built > 0 && built >= newestSource()) return;

  console.log("Building (some ten seconds)");
  runOrExit(process.execPath, [join(root, "scripts", "build.mjs")]);
}

function newestSource() {
  const entries = [src, dashboard].flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true }),
  );
  const paths = [src, dashboard, join(root, "tsconfig.json"), join(root, "tsconfig.build.json")];
  for (const entry of entries) {
    // A directory's time changes when a file in it is removed.
    if (entry.isDirectory() || isBuildInput(entry.name)) paths.push(join(entry.parentPath, entry.name));
  }
  return Math.max(...paths.map(modified));
}

function isBuildInput(name) {
  return /\.(tsx?|sql|css|html|svg|js|json)$/.test(name) && !name.endsWith(".test.ts");
}

/** Milliseconds since the epoch, 0 for a missing file. */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
