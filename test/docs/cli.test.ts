import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";
import { translated } from "../support/translated.js";

const TEXT = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
/** What `docs/operating.md` and `docs/postgresql.md` describe. */
const ELSEWHERE = new Set(
  ["serve", "backup", "doctor", "healthcheck", "migrate-store"].map((name) => `konveier ${name}`),
);

/** The section of each command. */
const SECTIONS = new Map(
  TEXT.split("\n### ").flatMap((section): [string, string][] => {
    const name = /^`(konveier [^`]+)`/.exec(section)?.[1];
    return name === undefined ? [] : [[name, section.split("\n## ")[0] ?? ""]];
  }),
);
const GENERAL = TEXT.split("\n## Jobs\n")[0] ?? "";

function leaves(command: Command, path: string): [string, Command][] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`));
}

const COMMANDS = leaves(createProgram(), "konveier").filter(([path]) => !ELSEWHERE.has(path));

function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
}

describe("docs/cli.md", () => {
  test("its first lines work as they are, also after those of the README", async () => {
    const server = await startHttpServer();
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const exported = readme.match(/^export .*$/gm) ?? [];
    expect(exported).not.toEqual([]);
    const first = /```sh\n([^]*?)```/.exec(TEXT)?.[1] ?? "";
    expect(first).toContain("konveier stats");
    const script = ['konveier() { "$NODE" "$MAIN" "$@"; }', ...exported, first].join("\n");
    const adapted = script
      .replaceAll("http://localhost:8085", server.url)
      .replaceAll("=demo", `=${API_TOKEN}`);
    const MAIN = translated(new URL("../../src/cli/main.ts", import.meta.url));
    const env = { PATH: process.env["PATH"], NODE: process.execPath, MAIN };
    const { stderr } = await promisify(execFile)("/bin/sh", ["-ec", adapted], { env });
    expect(stderr).toContain("Nothing to retry");
  });

  test("makes schedules before they are used, and deletes them last, as the page may be run from its top", () => {
    const made = new Set<string>();
    let isOver = false;
    const calls = [...TEXT.matchAll(/^konveier schedules (\w+) (.*)/gm)];
    for (const [call, verb, rest = ""] of calls) {
      const key = rest.split(" ")[0] ?? "";
      if (verb === "put") made.add(key);
      if (["get", "pause", "resume", "run", "delete"].includes(verb ?? "")) {
        expect([call, made.has(key), isOver]).toEqual([call, true, false]);
      }
      if (verb === "delete") made.delete(key);
      if (call.includes("--prune")) isOver = true;
    }
    expect(isOver).toBe(true);
  });

  test("has every command, and no other", () => {
    expect([...SECTIONS.keys()].sort()).toEqual(COMMANDS.map(([path]) => path).sort());
  });

  test.each(COMMANDS)("has every option of %s, and no other", (path, command) => {
    const section = SECTIONS.get(path) ?? "";
    const documented = new Set([...flagsIn(section), ...flagsIn(GENERAL)]);
    const options = command.options.map(({ long }) => long ?? "");
    expect(options.filter((option) => !documented.has(option))).toEqual([]);
    const known = new Set([...options, ...flagsIn(GENERAL), "--import"]);
    expect(flagsIn(section).filter((flag) => !known.has(flag))).toEqual([]);
    expect(section).toContain(`\n${path} `.trimEnd());
  });

  test.each(COMMANDS)("%s has help at the end of its options", (_path, command) => {
    const help = command.helpInformation();
    expect(help.match(/^Help:\n {2}-h, --help .*\n/gm)).toHaveLength(1);
    expect(help.match(/-h, --help/g)).toHaveLength(1);
  });

  test("no help has a list with nothing but the word help", () => {
    const program = createProgram();
    for (const command of [program, ...program.commands]) {
      expect(command.helpInformation()).not.toMatch(/^ {2}help /m);
    }
  });

  test.each(COMMANDS)("%s has examples in its help", (path, command) => {
    let help = "";
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    const examples = help.split("\nExamples:\n")[1] ?? "";
    expect(examples.split("\n").filter((line) => line.includes(path)).length).toBeGreaterThanOrEqual(2);
  });
});
