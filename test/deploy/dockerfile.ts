import { readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);

export function repositoryFile(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile by stage, without comments, each on one line. */
export function stagesOf(text: string): readonly (readonly Instruction[])[] {
  const lines = text.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
  const joined = lines
    .join("\n")
    .replaceAll(/\s*\\\n\s*/g, " ")
    .split("\n");
  const stages: Instruction[][] = [];
  for (const line of joined) {
    const [, word = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === "FROM") stages.push([]);
    stages.at(-1)?.push({ word, rest });
  }
  return stages;
}

export function all(stage: readonly Instruction[], word: string): readonly string[] {
  return stage.filter((instruction) => instruction.word === word).map(({ rest }) => rest);
}

/** The only instruction of this kind. */
export function one(stage: readonly Instruction[], word: string): string {
  const found = all(stage, word);
  if (found.length !== 1) throw new Error(`${found.length} instructions ${word} in a stage`);
  return found[0]!;
}

/** The words of an instruction in exec form, such as `["node", "main.js"]`. */
export function execForm(rest: string): readonly string[] {
  return JSON.parse(rest) as string[];
}
