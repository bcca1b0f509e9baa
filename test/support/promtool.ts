import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Put there by `npm test`, see `scripts/ensure-promtool.mjs`. */
const CACHED = fileURLToPath(new URL("../../node_modules/.cache/konveier/promtool", import.meta.url));

/** The program, or `null` where there is none: on anything but Debian, or without a network. */
export const PROMTOOL = find();

function find(): string | null {
  if (existsSync(CACHED)) return CACHED;
  if (spawnSync("promtool", ["--version"]).status === 0) return "promtool";
  if (process.env["CI"] === "true") throw new Error("promtool is missing: run npm test, or install it");
  return null;
}

/** Runs it. @returns its exit code with all that it said */
export function promtool(args: readonly string[], input?: string): { code: number | null; output: string } {
  if (PROMTOOL === null) throw new Error("promtool is missing");
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { input, encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}
