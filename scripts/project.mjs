// What the scripts share. Imports only Node's own modules, because it also runs before anything is installed.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const src = join(root, "src");
export const dashboard = join(root, "dashboard");
export const dist = join(root, "dist");

/** npm writes it at the end of an install, so an interrupted one leaves it out. */
export function installStamp(directory = root) {
  return join(directory, "node_modules", ".package-lock.json");
}

/** Written last by a successful build. Its time is the moment at which that build began. */
export const buildStamp = join(dist, ".build-stamp");

/** Runs a program to its end with this terminal. Returns its exit code. */
export function run(command, args, cwd = root) {
  const { error, status } = spawnSync(command, args, {
    cwd,
    stdio: "inherit",
    // On Windows npm is a .cmd file, which only a shell can start.
    shell: process.platform === "win32" && command === "npm",
  });
  if (error) throw error;
  return status ?? 1;
}

/** Like `run`, but a failure ends this process with the same exit code. */
export function runOrExit(command, args, cwd = root) {
  const code = run(command, args, cwd);
  if (code !== 0) process.exit(code);
}
