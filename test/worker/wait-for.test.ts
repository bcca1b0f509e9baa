import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { defineJob } from "../../src/core/define-job.js";
import { tempDirectory } from "../support/temp-directory.js";

const double = defineJob("double", {
  handler: ({ payload }: { payload: number }) => Promise.resolve(payload * 2),
});

async function open(url = `sqlite:${join(tempDirectory(), "konveier.db")}`) {
  const konveier = await Konveier.open(url);
  onTestFinished(() => konveier.close({ graceMs: 0 }));
  return { konveier, url };
}

describe("jobs.waitFor", () => {
  test("resolves when a worker has finished the job, here or in another process", async () => {
    const { konveier, url } = await open();
    const { konveier: other } = await open(url);
    await konveier.worker({ jobs: [double] }).start();
    const here = await konveier.enqueue(double, 4);
    const there = await other.enqueue(double, 5);
    expect(await konveier.jobs.waitFor(here.id)).toMatchObject({ state: "completed" });
    expect(await other.jobs.waitFor(there.id)).toMatchObject({ state: "completed" });
    expect(await other.jobs.result(there.id)).toBe(10);
  });

  test("ends with the job as it is when time is over or the database is closed", async () => {
    const { konveier } = await open();
    const { id } = await konveier.enqueue("nobody.does", null);
    expect(await konveier.jobs.waitFor(id, { timeoutMs: 1 })).toMatchObject({ state: "pending" });
    const waits = konveier.jobs.waitFor(id);
    await konveier.close();
    expect(await waits).toMatchObject({ state: "pending" });
  });

  test("rejects when it is aborted, and for a job that is not there", async () => {
    const { konveier } = await open();
    const { id } = await konveier.enqueue("nobody.does", null);
    const controller = new AbortController();
    const waits = konveier.jobs.waitFor(id, { signal: controller.signal });
    controller.abort(new Error("no longer"));
    await expect(waits).rejects.toThrow("no longer");
    await expect(konveier.jobs.waitFor("99")).rejects.toMatchObject({ code: "job_not_found" });
  });
});
