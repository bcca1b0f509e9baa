// Compiles src/ to dist/ and puts the SQL files beside the compiled code that reads them.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildStamp, dist, root, runOrExit, src } from "./project.mjs";

const began = new Date();

// Whatever has no source any more must not linger.
rmSync(dist, { recursive: true, force: true });

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
runOrExit(process.execPath, [tsc, "-p", "tsconfig.build.json"]);

for (const path of readdirSync(src, { recursive: true })) {
  if (!path.endsWith(".sql")) continue;
  mkdirSync(dirname(join(dist, path)), { recursive: true });
  copyFileSync(join(src, path), join(dist, path));
}

chmodSync(join(dist, "cli", "main.js"), 0o755);

// A source saved while the build ran is newer than this, so the next start builds again.
writeFileSync(buildStamp, "");
utimesSync(buildStamp, began, began);
