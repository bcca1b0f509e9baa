// Gets promtool, which checks the metrics and the alert rules in the tests, without installing anything: its
// program alone, out of Debian's package. The tests that need it are skipped where it cannot be had.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./project.mjs";

const cache = join(root, "node_modules", ".cache", "konveier");
const promtool = join(cache, "promtool");

export function ensurePromtool() {
  if (existsSync(promtool) || works("promtool", ["--version"])) return;
  if (!works("apt-get", ["--version"]) || !works("dpkg-deb", ["--version"])) return;
  console.log("Fetching promtool (some seconds)");
  const directory = mkdtempSync(join(tmpdir(), "konveier-promtool-"));
  try {
    // Without an index, or with an old one, the package is not found. Only root may renew it.
    if (!download(directory) && !(works("apt-get", ["update"]) && download(directory))) return;
    const archive = readdirSync(directory).find((name) => name.endsWith(".deb"));
    if (archive === undefined || !works("dpkg-deb", ["-x", archive, "unpacked"], directory)) return;
    mkdirSync(cache, { recursive: true });
    // Two steps, so that a program is either whole or not there.
    copyFileSync(join(directory, "unpacked", "usr", "bin", "promtool"), `${promtool}.part`);
    renameSync(`${promtool}.part`, promtool);
  } catch (error) {
    console.error(`promtool could not be had: ${error.message}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function download(directory) {
  return works("apt-get", ["download", "prometheus"], directory);
}

function works(command, args, cwd = root) {
  return spawnSync(command, args, { cwd, stdio: "ignore" }).status === 0;
}
