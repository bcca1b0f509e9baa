import { describe, expect, test } from "vitest";
import { startProgram } from "../support/child-program.js";
import { SqliteFile } from "../support/sqlite-file.js";
import { defineJob } from "../../src/core/define-job.js";
import { Rig, SHORT_LEASE } from "./rig.js";
import type { OneJobInput } from "./programs/one-job.js";

const ONE_JOB = new URL("./programs/one-job.ts", import.meta.url);

interface Findings {
  readonly exported: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

describe("SHD-09 a process ends by itself", () => {
  test.each([
    ["after it ran a job and closed", true],
    ["after it only enqueued and closed", false],
  ])("%s", async (_, run) => {
    const file = new SqliteFile();
    const input: OneJobInput = { file: file.path, run };
    const program = startProgram(ONE_JOB, input);
    expect(await program.exited, program.output).toEqual({ code: 0, signal: null });
    expect(program.output).toBe("");
    const store = file.open();
    const jobs = (await store.jobs.list({}, 10, null)).items.map(({ state }) => state);
    expect(jobs).toEqual(["scheduled", run ? "completed" : "pending"]);
    expect(await store.workers.list(60_000)).toEqual([]);
  });
});

describe("WRK-07 importing the library", () => {
  test("starts nothing: no timer, no listener, no message, and the process ends", async () => {
    const program = startProgram<Findings>(new URL("./programs/only-imports.ts", import.meta.url), null);
    expect(await program.exited, program.output).toEqual({ code: 0, signal: null });
    expect(program.output).toBe("");
    expect(program.messages).toHaveLength(1);
    const { exported, before, after } = program.messages[0]!;
    expect(exported).toContain("Konveier");
    expect(after).toEqual(before);
  });

  test("gives two instances in one process that know nothing of each other", async () => {
    const one = new Rig();
    const two = new Rig();
    const work = defineJob("work", { handler: () => undefined });
    await one.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await two.konveier.enqueue(work, null);
    await one.konveier.enqueue(work, null);
    await one.clock.advance(5_000);
    await two.clock.advance(5_000);
    expect(await one.counts()).toMatchObject({ completed: 1 });
    expect(await two.counts()).toMatchObject({ pending: 1 });
    expect(two.log.names).toEqual([]);
  });
});
