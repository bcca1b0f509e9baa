// Compiles src/ to dist/, puts the SQL files beside the compiled code that reads them, and builds the dashboard.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { ensureInstalled } from "./ensure.mjs";
import { buildStamp, dashboard, dist, installStamp, root, runOrExit, src } from "./project.mjs";

// In a fresh clone. What is installed is left alone here, also when it is older than the lock file.
if (!existsSync(installStamp())) ensureInstalled();

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

const vite = join(root, "node_modules", "vite", "bin", "vite.js");
runOrExit(process.execPath, [vite, "build", "--logLevel", "warn", dashboard]);
compressFiles(join(dist, "dashboard"));

chmodSync(join(dist, "cli", "main.js"), 0o755);

// A source saved while the build ran is newer than this, so the next start builds again.
writeFileSync(buildStamp, "");
utimesSync(buildStamp, began, began);

/** Beside each text file, what a browser gets that reads compressed answers: it is the same for everybody. */
function compressFiles(directory) {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  for (const path of readdirSync(directory, { recursive: true })) {
    if (!/\.(js|css|html|svg)$/.test(path)) continue;
    const file = join(directory, path);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, quality));
  }
}
