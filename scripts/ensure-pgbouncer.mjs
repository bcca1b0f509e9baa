// Gets a PgBouncer for the tests of PostgreSQL behind one: an installed one, or Debian's package where this process may
// install packages. The tests that need it are skipped where it cannot be had.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Distributions put it where only administrators look. */
const PLACES = [
  process.env.PGBOUNCER_PATH,
  "/usr/sbin/pgbouncer",
  "/usr/bin/pgbouncer",
  "/usr/local/bin/pgbouncer",
  "/opt/homebrew/bin/pgbouncer",
];

/** Its path, or `null`. */
export function findPgBouncer() {
  return PLACES.find((path) => path !== undefined && path !== "" && existsSync(path)) ?? null;
}

export function ensurePgBouncer() {
  if (findPgBouncer() !== null) return;
  if (process.getuid?.() === 0 && works("apt-get", ["--version"])) {
    console.log("Installing PgBouncer (some seconds)");
    const install = ["install", "-y", "-qq", "--no-install-recommends", "pgbouncer"];
    // Without an index, or with an old one, the package is not found.
    if (!works("apt-get", install)) works("apt-get", ["update", "-qq"]) && works("apt-get", install);
  }
  if (findPgBouncer() !== null) return;
  console.log("There is no PgBouncer: its tests are skipped. PGBOUNCER_PATH names one.");
}

function works(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: "ignore", env }).status === 0;
}
