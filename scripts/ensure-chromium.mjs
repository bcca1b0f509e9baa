// Gets a Chromium for the tests of the dashboard: an installed one, Playwright's, or Debian's package where this
// process may install packages. The tests that need it are skipped where it cannot be had.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** Where distributions and Chrome's own packages put it. */
const PLACES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Its path, or `null`. */
export function findChromium() {
  const own = chromium.executablePath();
  return [...PLACES, own].find((path) => path !== undefined && path !== "" && existsSync(path)) ?? null;
}

export function ensureChromium() {
  if (findChromium() !== null) return;
  if (process.getuid?.() !== 0 || !works("apt-get", ["--version"])) {
    console.log("There is no Chromium: the tests of the dashboard are skipped. CHROMIUM_PATH names one.");
    return;
  }
  console.log("Installing Chromium (a minute)");
  const install = ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-liberation"];
  // Without an index, or with an old one, the package is not found.
  if (!works("apt-get", install)) works("apt-get", ["update", "-qq"]) && works("apt-get", install);
}

function works(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: "ignore", env }).status === 0;
}
