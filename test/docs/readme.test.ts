import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ChildProgram } from "../support/child-program.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const binaries = join(root, "node_modules");

let project: string;

/** A project of a newcomer: the package is installed, the example is saved, nothing else is there. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "konveier-readme-"));
  await mkdir(join(project, "node_modules", "@types"), { recursive: true });
  await symlink(root, join(project, "node_modules", "konveier"));
  await symlink(join(binaries, "@types", "node"), join(project, "node_modules", "@types", "node"));
  await writeFile(join(project, "first.mts"), await exampleOf("README.md"));
  await writeFile(join(project, "schedule.mts"), await exampleOf("README.md", 1));
  await writeFile(join(project, "steps.mts"), await exampleOf("docs/steps.md"));
  await writeFile(join(project, "server.mts"), await exampleOf("docs/dashboard.md"));
});

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

it("runs the example of the README as printed", async () => {
  const tsx = fileURLToPath(import.meta.resolve("tsx/cli"));
  const { stdout } = await run(process.execPath, [tsx, "first.mts"], { cwd: project });
  expect(stdout.split("\n")).toEqual([
    "retrying: the first attempt fails on purpose",
    "{ text: 'Hello, Ada!' }",
    "",
  ]);
});

it("runs the example of steps as printed", async () => {
  const tsx = fileURLToPath(import.meta.resolve("tsx/cli"));
  const { stdout } = await run(process.execPath, [tsx, "steps.mts"], { cwd: project });
  const page = await readFile(join(root, "docs/steps.md"), "utf8");
  expect(stdout).toBe(/```text\n([^]*?)```/.exec(page)?.[1]);
});

it("runs the example of schedules until Ctrl-C", async () => {
  const program = started("schedule.mts");
  await program.until(() => program.output.includes("\n"));
  expect(program.output).toMatch(/^next run: \d{4}-\d\d-\d\dT\S+Z\n$/);
  program.kill("SIGINT");
  expect(await program.exited).toEqual({ code: 0, signal: null });
});

it("runs the server of the dashboard's page as printed", async () => {
  await writeFile(join(project, "any-port.mts"), (await exampleOf("docs/dashboard.md")).replace("8085", "0"));
  const program = started("any-port.mts");
  await program.until(() => program.output.includes("\n"));
  const url = program.output.trim();
  const answer = await fetch(`${url}/v1/queues`, { headers: { authorization: "Bearer demo" } });
  expect([answer.status, await (await fetch(url)).text()]).toEqual([
    200,
    expect.not.stringContaining("<html"),
  ]);
  program.kill("SIGINT");
  expect(await program.exited).toEqual({ code: 0, signal: null });
});

it.each(["first.mts", "schedule.mts", "server.mts"])(
  "type-checks %s of the docs in strict mode",
  async (file) => {
    const tsc = join(binaries, "typescript", "bin", "tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
    await run(process.execPath, [tsc, ...options, file], { cwd: project });
  },
);

/** Runs a file of the project, and ends it with the present test. */
function started(file: string): ChildProgram<never, never> {
  const command = ["--import", import.meta.resolve("tsx"), file];
  const program = new ChildProgram<never, never>(spawn(process.execPath, command, { cwd: project }));
  onTestFinished(async () => {
    program.kill("SIGKILL");
    await program.exited;
  });
  return program;
}

/** A TypeScript block of a page, the first one unless told otherwise. */
async function exampleOf(page: string, index = 0): Promise<string> {
  const text = await readFile(join(root, page), "utf8");
  const block = [...text.matchAll(/```ts\n(.*?)```/gs)][index]?.[1];
  if (block === undefined) throw new Error(`${page} has no such TypeScript example`);
  return block;
}
