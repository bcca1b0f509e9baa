import { expect, test } from "vitest";
import { defineJob } from "../../src/core/define-job.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { Gate } from "./gate.js";
import { LEASE_MS, Rig, SHORT_LEASE } from "./rig.js";

test("a handler whose lease was lost between add and wait adds no job twice", async () => {
  const rig = new Rig();
  const hang = new Gate();
  let runs = 0;
  const parent = defineJob("parent", {
    handler: async ({ flow }) => {
      runs += 1;
      await flow.add([
        { ref: "x", name: "child", payload: 1 },
        { ref: "y", name: "child", payload: 2, dependsOn: ["x"] },
      ]);
      // The first run never comes further.
      if (runs === 1) await hang.promise;
      await flow.wait(["y"]);
      const results: unknown[] = [];
      for await (const { ref, result } of flow.results()) results.push([ref, result]);
      return results;
    },
  });
  const child = defineJob<number, number>("child", { handler: ({ payload }) => payload * 10 });
  const { id } = await rig.konveier.enqueue(parent, null);
  const lost = rig.konveier.worker({ ...SHORT_LEASE, jobs: [parent] });
  await lost.start();
  await rig.now();
  // Its process is frozen: no heartbeat comes any more.
  rig.clock.block(LEASE_MS + 1);
  expect(await reap(rig.konveier.context)).toBeGreaterThan(0);
  const worker = rig.konveier.worker({ ...SHORT_LEASE, jobs: [parent, child] });
  await worker.start();
  await rig.clock.advance(LEASE_MS * 100);
  expect(await rig.job(id)).toMatchObject({ state: "completed", attempt: 2 });
  expect(await rig.konveier.jobs.result(id)).toEqual([["y", 20]]);
  const flow = await rig.konveier.flows.get("1");
  expect(flow).toMatchObject({ state: "completed", counts: { jobs: 3 } });
  hang.open();
});
