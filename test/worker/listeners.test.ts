import { describe, expect, test } from "vitest";
import { defineJob } from "../../src/core/define-job.js";
import { Rig, SHORT_LEASE } from "./rig.js";

const JOBS = 2_000;

describe("GRW-01 listeners that fail", () => {
  test.each<[string, () => unknown]>([
    [
      "by throwing",
      () => {
        throw new Error("listener");
      },
    ],
    ["by rejecting", () => Promise.reject(new Error("listener"))],
  ])("%s harm no job, no other listener and not the process", async (_, listener) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const rig = new Rig();
      for (const name of ["job.completed", "job.retrying", "worker.started", "internal.error"] as const) {
        rig.konveier.on(name, listener);
      }
      let heard = 0;
      rig.konveier.on("job.completed", () => (heard += 1));
      const work = defineJob("work", {
        handler: ({ job }) => {
          if (job.attempt === 1 && Number(job.id) % 100 === 0) throw new Error("once");
        },
      });
      const request = { name: "work", backoff: { type: "fixed", delayMs: 0 } } as const;
      const thousand = new Array<typeof request>(1_000).fill(request);
      for (let sent = 0; sent < JOBS; sent += 1_000) await rig.konveier.enqueueMany(thousand);
      await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], concurrency: 50 }).start();
      await rig.now();
      expect(await rig.counts()).toMatchObject({ completed: JOBS, pending: 0, running: 0, dead: 0 });
      expect(heard).toBe(JOBS);
      // Each failure is told, and the failing listener of that event does not call itself.
      expect(rig.log.of("internal.error")).toHaveLength(JOBS + JOBS / 100 + 1);
      expect(rig.log.of("internal.error").at(-1)).toMatchObject({ error: new Error("listener") });
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });

  test("can end their subscription, also while they are told", async () => {
    const rig = new Rig();
    const heard: string[] = [];
    const off = rig.konveier.on("job.completed", ({ id }) => {
      heard.push(id);
      off();
    });
    const work = defineJob("work", { handler: () => undefined });
    await rig.konveier.enqueueMany([{ name: "work" }, { name: "work" }]);
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work] }).start();
    await rig.now();
    expect(heard).toHaveLength(1);
  });
});
