import { readFileSync } from "node:fs";

/** The version in package.json, which lies as far from the sources as from the compiled files. */
export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
