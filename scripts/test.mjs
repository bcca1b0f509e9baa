// Installs and builds what is missing, then checks everything. Stops at the first failure.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, ensureInstalled } from "./ensure.mjs";
import { ensurePgBouncer } from "./ensure-pgbouncer.mjs";
import { ensurePromtool } from "./ensure-promtool.mjs";
import { run } from "./project.mjs";

const checks = [
  ["Format", "format:check"],
  ["Lint", "lint"],
  ["Types", "typecheck"],
  ["Import rules", "imports"],
  ["Unused code", "unused"],
];

ensureInstalled();
ensureBuilt();
ensurePromtool();
ensurePgBouncer();
// Only now is there what it imports.
const { ensureChromium } = await import("./ensure-chromium.mjs");
ensureChromium();

for (const [title, script] of checks) {
  const code = runScript(title, script);
  if (code !== 0) process.exit(code);
}
process.exitCode = runTests();

function runScript(title, script, args = []) {
  console.log(`\n== ${title} (npm run ${script})`);
  return run("npm", ["run", "--silent", script, "--", ...args]);
}

function runTests() {
  const directory = mkdtempSync(join(tmpdir(), "konveier-test-"));
  try {
    const report = join(directory, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = runScript("Tests", "test:unit", reporters);
    printCounts(JSON.parse(readFileSync(report, "utf8")));
    return code;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function printCounts({ numPassedTests, numFailedTests, testResults }) {
  // A file that could not even be loaded has no tests to count. It is one failure.
  const unloaded = testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  console.log(`${numPassedTests} passed, ${numFailedTests + unloaded.length} failed`);
}
