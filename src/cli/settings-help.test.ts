import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { settingsHelp } from "./settings-help.js";

/** Every variable that the program asks for. */
function settingsRead(): Set<string> {
  const names = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get(_target, name) {
        names.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(env, {}, () => "");
  return names;
}

describe("the settings", () => {
  it("are all in the help, and no others", () => {
    const names = [...settingsHelp().matchAll(/^ {2}([A-Z][A-Z_]+) /gm)].map(([, name]) => name);
    expect(new Set(names)).toEqual(settingsRead());
    expect(names.length).toBe(settingsRead().size);
  });

  it("are all in the table of docs/operating.md, and no others", () => {
    const text = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");
    const table = /## Environment variables\n(.*?)\n## /s.exec(text)?.[1] ?? "";
    const rows = [...table.matchAll(/^\| ([^|]+)\|/gm)].map(([, cell = ""]) => cell);
    const names = rows.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name));
    expect(new Set(names)).toEqual(settingsRead());
  });

  it("are told in lines that fit a terminal", () => {
    for (const line of settingsHelp().split("\n")) expect(line.length).toBeLessThanOrEqual(120);
  });
});
