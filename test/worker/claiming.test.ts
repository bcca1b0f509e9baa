import { describe, expect, test } from "vitest";
import type { JobRequest } from "../../src/core/job-request.js";
import { Konveier } from "../../src/konveier.js";
import { defineJob } from "../../src/core/define-job.js";
import { Gate, Gates } from "./gate.js";
import { POLL_MS, Rig, SHORT_LEASE } from "./rig.js";
import { newJob } from "../support/new-job.js";

const NOTHING = defineJob("work", { handler: () => undefined });

function jobs(count: number, request: Partial<JobRequest> = {}): JobRequest[] {
  return new Array<JobRequest>(count).fill({ name: "work", ...request });
}

describe("concurrency", () => {
  test("is reached and never exceeded", async () => {
    const rig = new Rig();
    const gates = new Gates();
    const work = defineJob("work", { handler: () => gates.wait() });
    await rig.konveier.enqueueMany(jobs(25));
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], concurrency: 4 }).start();
    await rig.now();
    for (let done = 0; done < 25; done += 1) {
      expect(gates.running).toBe(Math.min(4, 25 - done));
      expect((await rig.counts()).running).toBe(gates.running);
      gates.at(done).open(undefined);
      await rig.now();
    }
    expect(gates.most).toBe(4);
    expect(await rig.counts()).toMatchObject({ completed: 25, running: 0, pending: 0 });
  });

  test("WRK-09 a worker with one free slot never holds more than one lease that it has not begun", async () => {
    const rig = new Rig();
    const gates = new Gates();
    const claims = rig.claims();
    const work = defineJob("work", { handler: () => gates.wait() });
    await rig.konveier.enqueueMany(jobs(20));
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], concurrency: 3 }).start();
    await rig.now();
    for (let done = 0; done < 15; done += 1) {
      gates.at(done).open(undefined);
      await rig.now();
      expect((await rig.counts()).running).toBe(3);
    }
    expect(claims.map(({ max }) => max)).toEqual([3, ...new Array<number>(15).fill(1)]);
  });
});

test("CLM-01 workers of several processes on one file run every job once", async () => {
  const rig = new Rig();
  const runs: string[] = [];
  const perWorker = new Map<string, number>();
  for (const id of ["a", "b", "c"]) {
    const work = defineJob("work", {
      handler: async ({ job }) => {
        runs.push(job.id);
        perWorker.set(id, (perWorker.get(id) ?? 0) + 1);
        await new Promise<void>((resolve) => {
          rig.clock.setTimer(10, resolve);
        });
      },
    });
    const konveier = Konveier.withStore(rig.file.open({ clock: rig.clock }), { clock: rig.clock });
    await konveier.worker({ ...SHORT_LEASE, jobs: [work], id, concurrency: 20 }).start();
  }
  await rig.konveier.enqueueMany(jobs(600));
  await rig.clock.advance(1_000);
  expect(runs).toHaveLength(600);
  expect(new Set(runs).size).toBe(600);
  expect([...perWorker.keys()].toSorted()).toEqual(["a", "b", "c"]);
  expect(await rig.counts()).toMatchObject({ completed: 600, running: 0 });
});

describe("claims", () => {
  test("WRK-09 an idle worker claims at most once a poll", async () => {
    const rig = new Rig();
    const claims = rig.claims();
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [NOTHING] }).start();
    await rig.clock.advance(60_000);
    expect(claims.length).toBeGreaterThanOrEqual(59);
    expect(claims.length).toBeLessThanOrEqual(61);
  });

  test("WRK-09 a full batch is followed at once, a partial one is not", async () => {
    const rig = new Rig();
    const claims = rig.claims();
    await rig.konveier.enqueueMany(jobs(25));
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [NOTHING], concurrency: 10 }).start();
    await rig.now();
    expect((await rig.counts()).completed).toBe(25);
    expect(claims).toHaveLength(3);
    await rig.clock.advance(POLL_MS - 1);
    expect(claims).toHaveLength(3);
    await rig.clock.advance(1);
    expect(claims).toHaveLength(4);
  });

  test("a handler that ends after a partial batch asks for no more", async () => {
    const rig = new Rig();
    const gates = new Gates();
    const claims = rig.claims();
    const work = defineJob("work", { handler: () => gates.wait() });
    await rig.konveier.enqueueMany(jobs(5));
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [work], concurrency: 10 }).start();
    await rig.now();
    expect(gates.running).toBe(5);
    for (let run = 0; run < 5; run += 1) {
      gates.at(run).open(undefined);
      await rig.now();
    }
    expect(claims).toHaveLength(1);
  });

  test("a new job is taken without waiting for the poll, from this process and from another", async () => {
    const rig = new Rig();
    const worker = rig.konveier.worker({ jobs: [NOTHING], pollMs: 60_000 });
    await worker.start();
    await rig.now();
    await rig.konveier.enqueue(NOTHING, null);
    await rig.now();
    expect((await rig.counts()).completed).toBe(1);

    const elsewhere = new Rig();
    const idle = elsewhere.konveier.worker({ jobs: [NOTHING], pollMs: 60_000 });
    await idle.start();
    await elsewhere.now();
    const other = elsewhere.file.open({ clock: elsewhere.clock });
    await other.jobs.insertMany([newJob()]);
    await elsewhere.clock.advance(50);
    expect((await elsewhere.counts()).completed).toBe(1);
  });

  test("a wake-up that comes while a claim is on its way is not lost", async () => {
    const rig = new Rig();
    const worker = rig.konveier.worker({ jobs: [NOTHING], pollMs: 60_000 });
    await worker.start();
    await rig.now();
    // The claim has looked, and its answer is on its way.
    const answer = new Gate();
    const { claims } = rig.store;
    const claim = claims.claim.bind(claims);
    claims.claim = async (request) => {
      claims.claim = claim;
      const found = await claim(request);
      await answer.promise;
      return found;
    };
    await rig.konveier.enqueue(NOTHING, 1);
    await rig.now();
    await rig.konveier.enqueue(NOTHING, 2);
    await rig.now();
    answer.open();
    await rig.now();
    expect((await rig.counts()).completed).toBe(2);
  });

  test("queues are served in the order of the list", async () => {
    const rig = new Rig();
    const order: string[] = [];
    const work = defineJob("work", { handler: ({ job }) => order.push(job.queue) });
    for (const queue of ["a", "b", "c", "a", "b", "c"]) {
      await rig.konveier.enqueue(work, null, { queue, priority: queue === "c" ? 9 : 0 });
    }
    const worker = rig.konveier.worker({ jobs: [work], queues: ["b", "a", "c"], concurrency: 1 });
    await worker.start();
    await rig.now();
    expect(order).toEqual(["b", "b", "a", "a", "c", "c"]);
  });

  test("a paused queue is left alone and taken up when it is resumed", async () => {
    const rig = new Rig();
    await rig.konveier.queues.pause("default");
    await rig.konveier.enqueueMany(jobs(3));
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [NOTHING] }).start();
    await rig.clock.advance(5_000);
    expect((await rig.counts()).pending).toBe(3);
    await rig.konveier.queues.resume("default");
    await rig.clock.advance(POLL_MS);
    expect((await rig.counts()).completed).toBe(3);
  });

  test("RTY-12 jobs of other names stay where they are, and the lookout tells of them", async () => {
    const rig = new Rig();
    await rig.konveier.enqueueMany([{ name: "nope" }, { name: "nope" }, { name: "work" }]);
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [NOTHING] }).start();
    await rig.clock.advance(120_000);
    expect(await rig.counts()).toMatchObject({ pending: 2, completed: 1, running: 0 });
    expect(rig.log.of("jobs.unhandled")).toEqual([{ queue: "default", name: "nope", pending: 2 }]);

    await rig.konveier.worker({ jobs: [defineJob("nope", { handler: () => undefined })] }).start();
    await rig.clock.advance(60_000);
    expect((await rig.counts()).completed).toBe(3);
    expect(rig.log.of("jobs.unhandled")).toHaveLength(1);
  });
});
