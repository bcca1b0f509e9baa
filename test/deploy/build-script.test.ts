import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDirectory } from "../support/temp-directory.js";

const SCRIPTS = fileURLToPath(new URL("../../scripts", import.meta.url));

test("a build in a fresh clone installs first, and ends as the install does", () => {
  const clone = tempDirectory();
  cpSync(SCRIPTS, join(clone, "scripts"), { recursive: true });
  writeFileSync(join(clone, "package-lock.json"), "{}");
  const bin = join(clone, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "npm"), '#!/bin/sh\necho "$@" > called\nexit 7\n', { mode: 0o755 });
  const PATH = `${bin}:${process.env["PATH"] ?? ""}`;
  const { status, stderr } = spawnSync(process.execPath, [join(clone, "scripts", "build.mjs")], {
    env: { PATH },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([7, ""]);
  expect(readFileSync(join(clone, "called"), "utf8")).toMatch(/^ci --include=dev /);
});
