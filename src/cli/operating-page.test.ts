import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../core/errors.js";

const SOURCES = new URL("../", import.meta.url);
const page = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");

function sourceFiles(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(new URL(path, SOURCES), "utf8"));
}

/** Events of the engine, by their declaration, and those that the log lines of other code name. */
function eventsInCode(): Set<string> {
  const declared = readFileSync(new URL("core/events.ts", SOURCES), "utf8").matchAll(
    /^ {2}"([a-z]+\.[a-z]+)":/gm,
  );
  const named = sourceFiles().flatMap((text) => [...text.matchAll(/\bevent: "([a-z]+\.[a-z_]+)"/g)]);
  return new Set([...declared, ...named].map(([, name = ""]) => name));
}

describe("docs/operating.md", () => {
  it("lists every event of the log, and no others", () => {
    const table = /## Logs\n(.*)/s.exec(page)?.[1] ?? "";
    const rows = [...table.matchAll(/^\| ([^|]+)\|/gm)].map(([, cell = ""]) => cell);
    const events = rows.flatMap((cell) => [...cell.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name]) => name));
    expect(new Set(events)).toEqual(eventsInCode());
  });

  it("names only codes of the store that exist", () => {
    const named = [...page.matchAll(/`(store_[a-z_]+)`/g)].map(([, code]) => code);
    for (const code of named) expect(Object.keys(ERRORS)).toContain(code);
  });
});
