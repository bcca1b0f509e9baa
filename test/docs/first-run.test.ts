import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { curlSnippet, pythonSnippet, typeScriptSnippet } from "../../dashboard/src/ui/first-run-snippets.js";
import { JobDetailView } from "../../src/api/job.js";
import { ChildProgram } from "../support/child-program.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { eventually } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const ENVIRONMENT = { PATH: process.env["PATH"], API_TOKEN };
const hasPython =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** The first job of the dashboard's first steps, sent by the command that they show. */
async function firstJob(server: HttpServer): Promise<string> {
  const shell = new ChildProgram(spawn("sh", ["-c", curlSnippet(server.url)], { env: ENVIRONMENT }));
  expect((await shell.exited).code).toBe(0);
  return (JSON.parse(shell.output) as { id: string }).id;
}

/** A program as a reader would run it: in a directory of its own, with nothing but what the first steps ask for. */
function run(directory: string, command: string, ...args: string[]): ChildProgram<never, never> {
  const program = new ChildProgram<never, never>(spawn(command, args, { cwd: directory, env: ENVIRONMENT }));
  onTestFinished(async () => {
    program.kill("SIGKILL");
    await program.exited;
  });
  return program;
}

/** Waits until the job has been finished, and ends the worker in the way that its snippet provides. */
async function expectFinished(server: HttpServer, id: string, worker: ChildProgram<never, never>) {
  const look = async () => (await server.get(`/v1/jobs/${id}`)).as(JobDetailView);
  const ended = worker.exited.then(() => {
    throw new Error(`The worker ended too early: ${worker.output}`);
  });
  await Promise.race([eventually(look, ({ state }) => state === "completed"), ended]);
  expect((await server.get(`/v1/jobs/${id}/result`)).json).toEqual({ hello: "Ada" });
  ended.catch(() => undefined);
  worker.kill("SIGTERM");
  expect(await worker.exited).toEqual({ code: 0, signal: null });
}

describe.skipIf(!hasCurl)("the first steps of the dashboard, as they are shown", () => {
  test("in TypeScript", async () => {
    const server = await startHttpServer();
    const directory = tempDirectory();
    mkdirSync(join(directory, "node_modules"));
    symlinkSync(REPOSITORY, join(directory, "node_modules", "konveier"));
    writeFileSync(join(directory, "worker.mts"), typeScriptSnippet(server.url));
    const id = await firstJob(server);
    const tsx = import.meta.resolve("tsx");
    await expectFinished(server, id, run(directory, process.execPath, "--import", tsx, "worker.mts"));
  });

  test.skipIf(!hasPython)("in Python", async () => {
    const server = await startHttpServer();
    const directory = tempDirectory();
    symlinkSync(
      join(REPOSITORY, "examples/python/konveier_worker.py"),
      join(directory, "konveier_worker.py"),
    );
    writeFileSync(join(directory, "worker.py"), pythonSnippet(server.url));
    const id = await firstJob(server);
    await expectFinished(server, id, run(directory, "python3", "-B", "worker.py"));
  });
});
