import { describe, expect } from "vitest";
import type { DependencyRequest, FlowJobRequest, OnFailure } from "../../src/core/flow-request.js";
import { ON_FAILURE } from "../../src/core/flow-request.js";
import { flowStateOf, type FlowDetail, type FlowJob } from "../../src/core/flow.js";
import { isFinished } from "../../src/core/states.js";
import { cancel } from "../../src/engine/cancel.js";
import { deleteJob } from "../../src/engine/delete.js";
import { createFlow, extendFlow } from "../../src/engine/flows/make.js";
import { cancelFlow, retryFlow } from "../../src/engine/flows/walk.js";
import { retry } from "../../src/engine/retry.js";
import { settle } from "../../src/engine/settle.js";
import type { ClaimedJob } from "../../src/core/job.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";
import { faultsOf, refusal, type Harness } from "./harness.js";
import { ModelFlow } from "./model-flow.js";
import { newJob } from "../support/new-job.js";

const LONG = process.env["KONVEIER_LONG_TESTS"] !== undefined;

/** A flow, its jobs named by their refs. */
function make(harness: Harness, jobs: readonly Partial<FlowJobRequest>[], idempotencyKey?: string) {
  const complete = jobs.map((job): FlowJobRequest => ({ name: "work", ref: "", ...job }));
  return createFlow(harness.engine, { name: "flow", jobs: complete, idempotencyKey });
}

async function nodes(harness: Harness, flowId: string): Promise<Map<string, FlowJob>> {
  const found = new Map<string, FlowJob>();
  let after: string | null = null;
  do {
    const page = await harness.store.flows.jobs(flowId, 100, after);
    for (const job of page?.items ?? []) found.set(job.ref, job);
    after = page?.next ?? null;
  } while (after !== null);
  return found;
}

async function states(harness: Harness, flowId: string): Promise<Record<string, string>> {
  return Object.fromEntries([...(await nodes(harness, flowId))].map(([ref, { state }]) => [ref, state]));
}

async function detail(harness: Harness, flowId: string): Promise<FlowDetail> {
  const flow = await harness.store.flows.get(flowId);
  if (flow === null) throw new Error(`There is no flow ${flowId}`);
  return flow;
}

function waitFor(harness: Harness, job: ClaimedJob, refs: readonly string[]) {
  return settle(harness.engine, job, "worker-a", { verb: "wait", id: job.id, token: job.token, refs });
}

/** Claims what can be claimed, by ref. */
async function claimAll(harness: Harness): Promise<Map<string, ClaimedJob>> {
  const jobs = await harness.claim({ max: 1_000 });
  return new Map(jobs.map((job) => [job.flow?.ref ?? "", job]));
}

async function claimed(harness: Harness, ref: string): Promise<ClaimedJob> {
  const job = (await claimAll(harness)).get(ref);
  if (job === undefined) throw new Error(`${ref} could not be claimed`);
  return job;
}

export function flowsContract(contract: Contract): void {
  describe("flows", () => {
    contract.test("run jobs when those that they depend on have completed", async (harness) => {
      const flow = await make(harness, [
        { ref: "d", dependsOn: ["b", "c"] },
        { ref: "b", dependsOn: ["a"] },
        { ref: "c", dependsOn: ["a"] },
        { ref: "a", payload: { first: true } },
      ]);
      expect(flow).toMatchObject({ name: "flow", state: "running", finishedAt: null, deduplicated: false });
      expect(await states(harness, flow.id)).toEqual({
        a: "pending",
        b: "blocked",
        c: "blocked",
        d: "blocked",
      });
      harness.clock.block(50);
      const a = await claimed(harness, "a");
      expect(a.flow).toEqual({ id: flow.id, ref: "a" });
      await harness.complete(a, { total: 12 });
      const second = await claimAll(harness);
      expect([...second.keys()].sort()).toEqual(["b", "c"]);
      const [b, c] = [second.get("b"), second.get("c")];
      if (b === undefined || c === undefined) throw new Error("Both were to be claimed");
      // The time that a job was blocked is no time that it waited for a worker.
      expect(b.runAt).toBe(harness.clock.now());
      await harness.complete(b);
      expect(await claimAll(harness)).toEqual(new Map());
      await harness.complete(c);
      harness.clock.block(5);
      await harness.complete(await claimed(harness, "d"));
      expect(await detail(harness, flow.id)).toMatchObject({
        state: "completed",
        finishedAt: harness.clock.now(),
        counts: { jobs: 4, completed: 4, dead: 0, cancelled: 0 },
        stuck: false,
      });
      const results = await harness.store.flows.dependencies(b.id, 10, null);
      expect(results?.items).toMatchObject([
        { ref: "a", state: "completed", result: '{"total":12}', resolved: true },
      ]);
      const dependants = await harness.store.flows.dependants(a.id, 1, null);
      expect(dependants?.items.map(({ ref }) => ref)).toHaveLength(1);
      expect(dependants?.next).not.toBeNull();
    });

    const ends = {
      dead: (harness: Harness, job: ClaimedJob) => harness.fail(job, "never"),
      cancelled: (harness: Harness, job: ClaimedJob) => cancel(harness.engine, job.id),
      deleted: (harness: Harness, job: ClaimedJob) => deleteJob(harness.engine, job.id, { force: true }),
    };
    for (const [end, doEnd] of Object.entries(ends)) {
      contract.test(`do what each job says when another one is ${end}`, async (harness) => {
        const flow = await make(harness, [
          { ref: "a" },
          { ref: "other" },
          { ref: "cancel", dependsOn: ["a"] },
          { ref: "run", dependsOn: ["a"], onDependencyFailure: "run" },
          { ref: "block", dependsOn: [{ ref: "a", onFailure: "block" }] },
          { ref: "behind", dependsOn: ["cancel", "other"] },
          { ref: "last", dependsOn: ["behind"], onDependencyFailure: "run" },
        ]);
        const first = await claimAll(harness);
        const a = first.get("a");
        const other = first.get("other");
        if (a === undefined || other === undefined) throw new Error("Both were to be claimed");
        await doEnd(harness, a);
        const expected = {
          cancel: "cancelled",
          run: "pending",
          block: end === "deleted" ? "cancelled" : "blocked",
          behind: "cancelled",
          last: "pending",
          other: "running",
        };
        expect(await states(harness, flow.id)).toEqual(
          end === "deleted" ? expected : { ...expected, a: end },
        );
        // One whose dependant is gone ends as ever.
        await harness.complete(other);
        for (const job of (await claimAll(harness)).values()) await harness.complete(job);
        const after = await detail(harness, flow.id);
        expect(after).toMatchObject(
          end === "deleted"
            ? { state: "cancelled", counts: { jobs: 6, completed: 3, cancelled: 3 }, stuck: false }
            : { state: "running", stuck: true },
        );
        if (end === "deleted") return;
        // What is blocked goes on when the other one was retried and completes.
        await retry(harness.engine, a.id);
        await harness.complete(await claimed(harness, "a"));
        await harness.complete(await claimed(harness, "block"));
        expect(await detail(harness, flow.id)).toMatchObject({
          state: "cancelled",
          counts: { completed: 5 },
        });
      });
    }

    contract.test("tell what a job still waits for, what needs a retry by hand first", async (harness) => {
      const refs = ["a", "b", "c", "d"];
      await make(harness, [
        ...refs.map((ref) => ({ ref })),
        { ref: "last", dependsOn: refs, onDependencyFailure: "block" },
      ]);
      const jobs = await claimAll(harness);
      const [a, b, c] = [jobs.get("a"), jobs.get("b"), jobs.get("c")];
      if (a === undefined || b === undefined || c === undefined) throw new Error("All were to be claimed");
      await harness.complete(a);
      await harness.fail(c, "never");
      const open = async (most: number) => {
        const { count, first } = await harness.store.flows.openDependencies("5", most);
        return [count, ...first.map(({ id, ref, state }) => `${id} ${ref} ${state}`)];
      };
      expect(await open(9)).toEqual([3, "3 c dead", "2 b running", "4 d running"]);
      expect(await open(1)).toEqual([3, "3 c dead"]);
      expect(await harness.store.flows.openDependencies("1", 9)).toEqual({ count: 0, first: [] });
      expect(await harness.store.flows.openDependencies("x", 9)).toEqual({ count: 0, first: [] });
    });

    contract.test("begin the delay of a job when nothing blocks it any more", async (harness) => {
      const flow = await make(harness, [
        { ref: "a" },
        { ref: "later", dependsOn: ["a"], delayMs: 1_000 },
        { ref: "at", dependsOn: ["a"], runAt: harness.clock.now() + 300 },
      ]);
      harness.clock.block(200);
      await harness.complete(await claimed(harness, "a"));
      expect(await states(harness, flow.id)).toEqual({ a: "completed", later: "scheduled", at: "scheduled" });
      harness.clock.block(100);
      expect(await harness.store.claims.promote(10)).toBe(1);
      expect([...(await claimAll(harness)).keys()]).toEqual(["at"]);
      harness.clock.block(900);
      expect(await harness.store.claims.promote(10)).toBe(1);
      expect([...(await claimAll(harness)).keys()]).toEqual(["later"]);
    });

    contract.test("are refused whole, with every fault", async (harness) => {
      const flawed = (jobs: readonly Partial<FlowJobRequest>[]) => faultsOf(make(harness, jobs));
      expect(
        await flawed([
          { ref: "a", dependsOn: ["b"] },
          { ref: "b", dependsOn: ["c"] },
          { ref: "c", dependsOn: ["a"] },
        ]),
      ).toEqual(["/jobs/0/dependsOn cycle"]);
      expect(await flawed([{ ref: "a", dependsOn: ["a"] }])).toEqual(["/jobs/0/dependsOn/0 cycle"]);
      expect(await flawed([{ ref: "a", dependsOn: ["x"] }, { ref: "a" }])).toEqual([
        "/jobs/1/ref duplicate",
        "/jobs/0/dependsOn/0 unknown_ref",
      ]);
      expect(await flawed([{ ref: "a" }, { ref: "b", dependsOn: ["a", { ref: "a" }] }])).toEqual([
        "/jobs/1/dependsOn/1 duplicate",
      ]);
      const jobs = Array.from({ length: 50 }, (_, place): Partial<FlowJobRequest> => ({ ref: `r${place}` }));
      const bad = { queue: "not a queue", priority: 12 };
      expect(await flawed(jobs.map((job, place) => (place === 37 ? { ...job, ...bad } : job)))).toEqual([
        "/jobs/37/queue invalid_name",
        "/jobs/37/priority out_of_range",
      ]);
      expect(await flawed([])).toEqual(["/jobs required"]);
      const keyed = { ref: "a", idempotencyKey: "k", unique: { key: "k" } };
      expect(await flawed([keyed])).toEqual(["/jobs/0/idempotencyKey conflict", "/jobs/0/unique conflict"]);
      const unknown = { ref: "a", dependsOn: [{ ref: "b", on: 1 } as unknown as DependencyRequest] };
      expect(await flawed([unknown, { ref: "b" }])).toEqual(["/jobs/0/dependsOn/0/on unknown_field"]);
      expect((await harness.store.flows.list({}, 10, null)).items).toEqual([]);
      expect(await harness.claim({ max: 10 })).toEqual([]);
    });

    contract.test("of one idempotency key are one flow", async (harness) => {
      const jobs = [{ ref: "a" }, { ref: "b", dependsOn: ["a"] }];
      const made = await Promise.all(Array.from({ length: 5 }, () => make(harness, jobs, "key")));
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(made.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
      expect(await refusal(make(harness, [{ ref: "a" }], "key"))).toBe("idempotency_key_reused");
    });

    contract.test("go when their last job goes, and their key with them", async (harness) => {
      const flow = await make(harness, [{ ref: "a" }, { ref: "b", dependsOn: ["a"] }], "key");
      for (const { id } of (await nodes(harness, flow.id)).values()) await deleteJob(harness.engine, id);
      expect(await harness.store.flows.get(flow.id)).toBeNull();
      expect((await make(harness, [{ ref: "other" }], "key")).deduplicated).toBe(false);
    });

    contract.test("of many jobs are opened when all are there", async (harness) => {
      const children = Array.from({ length: 2_500 }, (_, place): Partial<FlowJobRequest> => ({
        ref: `c${place}`,
      }));
      const refs = children.map(({ ref }) => ref ?? "");
      const flow = await make(harness, [...children, { ref: "last", dependsOn: refs }]);
      expect(await detail(harness, flow.id)).toMatchObject({ states: { pending: 2_500, blocked: 1 } });
      for (let left = 2_500; left > 0; left -= 500) {
        const jobs = await harness.claim({ max: 500 });
        expect(jobs).toHaveLength(500);
        await harness.store.claims.settle(
          jobs.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
        );
      }
      await harness.complete(await claimed(harness, "last"));
      expect((await detail(harness, flow.id)).state).toBe("completed");
    });

    contract.test("that were not made to their end are not there, and are removed", async (harness) => {
      const job = newJob({ maxAttempts: 1 });
      const jobs = Array.from({ length: 1_500 }, (_, place) => ({
        ref: `r${place}`,
        // No store takes the last one, which is not in the first transaction.
        job: place === 1_499 ? { ...job, priority: 99 } : job,
        dependsOn: [],
      }));
      const idempotency = { key: "key", fingerprint: "f" };
      const making = harness.store.flows.create({ name: "flow", jobs, idempotency });
      await expect(making).rejects.toThrow();
      expect((await harness.store.flows.list({}, 10, null)).items).toEqual([]);
      expect(await harness.claim({ max: 10 })).toEqual([]);
      // Whoever makes it may still be at it.
      expect(await refusal(make(harness, [{ ref: "a" }], "key"))).toBe("idempotency_key_reused");
      expect(await harness.store.flows.removeUnmade(60_000, 600)).toBe(0);
      harness.clock.block(60_001);
      expect(await harness.store.flows.removeUnmade(60_000, 600)).toBe(600);
      while ((await harness.store.flows.removeUnmade(60_000, 600)) > 0);
      expect((await harness.store.queues.get("default"))?.counts.blocked).toBe(0);
      expect((await make(harness, [{ ref: "a" }], "key")).deduplicated).toBe(false);
    });

    contract.test("tell many that wait for one job in portions, and lose none", async (harness) => {
      const children = Array.from({ length: 2_500 }, (_, place) => ({ ref: `c${place}`, dependsOn: ["a"] }));
      const flow = await make(harness, [{ ref: "a" }, ...children]);
      await harness.complete(await claimed(harness, "a"));
      expect((await detail(harness, flow.id)).states.blocked).toBe(1_500);
      expect(await harness.store.flows.goOn(1_000)).toBe(1_000);
      while ((await harness.store.flows.goOn(1_000)) > 0);
      expect((await detail(harness, flow.id)).states).toMatchObject({ blocked: 0, pending: 2_500 });
    });

    contract.test("cancel long chains to their end", async (harness) => {
      const jobs = Array.from({ length: 1_500 }, (_, place) => ({
        ref: `c${place}`,
        dependsOn: place === 0 ? [] : [`c${place - 1}`],
      }));
      const flow = await make(harness, jobs);
      await harness.fail(await claimed(harness, "c0"), "never");
      while ((await harness.store.flows.goOn(1_000)) > 0);
      expect(await detail(harness, flow.id)).toMatchObject({
        state: "failed",
        counts: { dead: 1, cancelled: 1_499 },
      });
    });

    contract.test(
      "release a job once when the last two that it waits for end at the same time",
      async (harness) => {
        const other = await harness.another();
        for (let round = 0; round < (LONG ? 1_000 : 40); round += 1) {
          const flow = await make(harness, [
            { ref: "a" },
            { ref: "b" },
            { ref: "last", dependsOn: ["a", "b"] },
          ]);
          const first = await claimAll(harness);
          await Promise.all(
            [...first.values()].map(({ id, token }, index) =>
              (index === 0 ? harness.store : other).claims.settle([
                { verb: "complete", id, token, result: null, resultProblem: null },
              ]),
            ),
          );
          const last = await claimed(harness, "last");
          await harness.complete(last);
          expect((await detail(harness, flow.id)).state).toBe("completed");
        }
      },
    );

    contract.test("grow from within, and a job waits for those that it adds", async (harness) => {
      const { id } = await harness.enqueue({ name: "parent" });
      const parent = await harness.claimOne();
      expect(parent.flow).toBeNull();
      const add = (job: ClaimedJob, jobs: readonly Partial<FlowJobRequest>[]) =>
        extendFlow(
          harness.engine,
          job,
          jobs.map((each) => ({ name: "child", ref: "", ...each })),
        );
      await add(parent, [{ ref: "x" }, { ref: "y", dependsOn: ["x"] }]);
      await waitFor(harness, parent, ["x", "y"]);
      // The first answer may have been lost.
      await waitFor(harness, parent, ["x", "y"]);
      expect(await harness.job(id)).toMatchObject({ state: "blocked", attempt: 0, flow: { ref: "root" } });
      await harness.complete(await claimed(harness, "x"), 1);
      await harness.fail(await claimed(harness, "y"), "never");
      const again = await claimed(harness, "root");
      expect(again).toMatchObject({ id, attempt: 1 });
      // Refs that are there stay as they are.
      await add(again, [{ ref: "x" }, { ref: "y" }, { ref: "z", dependsOn: ["x"] }]);
      expect(
        (await harness.store.flows.members(id, ["x", "y", "z", "nothing"])).map(({ state }) => state),
      ).toEqual(["completed", "dead", "pending"]);
      expect(await faultsOf(add(again, [{ ref: "new", dependsOn: ["nobody"] }]))).toEqual([
        "/jobs/0/dependsOn unknown_ref",
      ]);
      expect(await refusal(add(parent, [{ ref: "late" }]))).toBe("lease_lost");
      // One that depends on a dead one.
      await add(again, [{ ref: "after-y", dependsOn: ["y"] }]);
      expect(await states(harness, again.flow?.id ?? "")).toMatchObject({
        "after-y": "cancelled",
        z: "pending",
      });
    });

    contract.test("end a job that would wait for itself", async (harness) => {
      const flow = await make(harness, [
        { ref: "a" },
        { ref: "b", dependsOn: ["a"] },
        { ref: "c", dependsOn: ["b"] },
      ]);
      const a = await claimed(harness, "a");
      await waitFor(harness, a, ["c"]);
      expect(await harness.job(a.id)).toMatchObject({ state: "dead", lastError: { type: "FlowCycle" } });
      expect(await states(harness, flow.id)).toEqual({ a: "dead", b: "cancelled", c: "cancelled" });
    });

    contract.test("are cancelled and started over as a whole", async (harness) => {
      const flow = await make(harness, [
        { ref: "a" },
        { ref: "b", dependsOn: ["a"] },
        { ref: "c", dependsOn: ["b"] },
        { ref: "d" },
      ]);
      const first = await claimAll(harness);
      const [a, d] = [first.get("a"), first.get("d")];
      if (a === undefined || d === undefined) throw new Error("Both were to be claimed");
      await harness.complete(d);
      expect(await cancelFlow(harness.engine, flow.id)).toBe(3);
      expect(await detail(harness, flow.id)).toMatchObject({
        state: "cancelled",
        counts: { completed: 1, cancelled: 3 },
      });
      expect(await retryFlow(harness.engine, flow.id)).toBe(3);
      expect(await states(harness, flow.id)).toEqual({
        a: "pending",
        b: "blocked",
        c: "blocked",
        d: "completed",
      });
      for (const ref of ["a", "b", "c"]) await harness.complete(await claimed(harness, ref));
      expect(await detail(harness, flow.id)).toMatchObject({ state: "completed", counts: { completed: 4 } });
      expect(await refusal(cancelFlow(harness.engine, "999"))).toBe("flow_not_found");
    });

    contract.test("are listed by name and state, newest first", async (harness) => {
      const made: string[] = [];
      for (const name of ["x", "y", "x"]) {
        const flow = await createFlow(harness.engine, { name, jobs: [{ ref: "a", name: "work" }] });
        made.unshift(flow.id);
      }
      await harness.complete(await harness.claimOne());
      const list = async (filter: Parameters<typeof harness.store.flows.list>[0]) =>
        (await harness.store.flows.list(filter, 10, null)).items.map(({ id }) => id);
      expect(await list({})).toEqual(made);
      expect(await list({ name: "x" })).toEqual([made[0], made[2]]);
      expect(await list({ state: "completed" })).toEqual([made[2]]);
      expect(await list({ state: "running", name: "x" })).toEqual([made[0]]);
      const page = await harness.store.flows.list({}, 2, null);
      expect(page.next).toBe(made[1]);
      expect((await harness.store.flows.list({}, 2, page.next)).items.map(({ id }) => id)).toEqual([made[2]]);
    });

    contract.test("keep their jobs while they run", async (harness) => {
      const flow = await make(harness, [{ ref: "a" }, { ref: "b", dependsOn: ["a"] }]);
      await harness.complete(await claimed(harness, "a"));
      harness.clock.block(1_000);
      const retention = { completedMs: 10, cancelledMs: 10, deadMs: 10, maxCompleted: 0 };
      expect(await harness.store.maintenance.prune(retention, 100)).toBe(0);
      await harness.complete(await claimed(harness, "b"));
      harness.clock.block(1_000);
      expect(await harness.store.maintenance.prune(retention, 100)).toBe(2);
      expect(await harness.store.flows.get(flow.id)).toBeNull();
    });

    for (let seed = 1; seed <= (LONG ? 300 : 12); seed += 1) {
      contract.test(`hold whatever happens: seed ${seed}`, (harness) =>
        ordeal(harness, seed, LONG ? 500 : 40),
      );
    }
  });
}

/** Random graphs, ends, crashes, waits and changes by hand, compared with the model after each. */
async function ordeal(harness: Harness, seed: number, most: number): Promise<void> {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const oneOf = <T>(values: readonly T[]): T | undefined => values[below(values.length)];
  const model = new ModelFlow();
  const jobs = Array.from({ length: 2 + below(most) }, (_, place): FlowJobRequest => {
    const dependsOn = Array.from({ length: place }, (_unused, other) => other)
      .filter(() => random() < 2 / Math.max(place, 2))
      .map((other) => ({ ref: `j${other}`, onFailure: oneOf(ON_FAILURE) ?? "cancel" }));
    return { ref: `j${place}`, name: "work", maxAttempts: 2, dependsOn };
  });
  for (const { ref, dependsOn } of jobs)
    model.add(ref, (dependsOn ?? []) as { ref: string; onFailure: OnFailure }[]);
  const flow = await createFlow(harness.engine, { name: "ordeal", jobs: jobs.toReversed() });
  const ids = new Map([...(await nodes(harness, flow.id))].map(([ref, { id }]) => [ref, id]));
  const held = new Map<string, ClaimedJob>();

  const inState = (wanted: (state: string) => boolean): string[] =>
    [...model.nodes].filter(([, { state }]) => wanted(state)).map(([ref]) => ref);
  const idOf = (ref: string): string => ids.get(ref) ?? "";
  const compare = async (what: string): Promise<void> => {
    while ((await harness.store.flows.goOn(1_000)) > 0);
    await harness.store.claims.promote(1_000);
    const expected = [...model.nodes]
      .filter(([, { state }]) => state !== "gone")
      .map(([ref, { state }]) => [ref, state]);
    expect(await states(harness, flow.id), what).toEqual(Object.fromEntries(expected));
  };
  const claimSome = async (max: number): Promise<void> => {
    for (const job of await harness.claim({ max })) {
      const ref = job.flow?.ref ?? "";
      expect(model.nodes.get(ref)?.state, `${ref} was claimed`).toBe("pending");
      model.claim(ref);
      held.set(ref, job);
    }
  };
  const finish = async (ref: string, job: ClaimedJob, how: number): Promise<void> => {
    held.delete(ref);
    if (how < 6) {
      await harness.complete(job);
      model.end(ref, "completed");
    } else if (how < 8) {
      await harness.fail(job, "never");
      model.end(ref, "dead");
    } else if (how < 9) {
      await harness.release(job);
      model.giveBack(ref);
    } else {
      const others = inState(() => true).filter(
        (other) => other !== ref && model.nodes.get(other)?.state !== "gone",
      );
      const refs = [...new Set([oneOf(others), oneOf(others)].filter((other) => other !== undefined))];
      if (refs.length === 0) return;
      await settle(harness.engine, job, "worker-a", { verb: "wait", id: job.id, token: job.token, refs });
      model.wait(ref, refs);
    }
  };

  for (let step = 0; step < 3 * jobs.length; step += 1) {
    const what = below(12);
    const ref = oneOf([...held.keys()]);
    const job = ref === undefined ? undefined : held.get(ref);
    if (what < 3) await claimSome(1 + below(4));
    else if (what < 8 && ref !== undefined && job !== undefined) await finish(ref, job, below(10));
    else if (what === 8) {
      const target = oneOf(inState((state) => state !== "gone" && !isFinished(state as never)));
      if (target === undefined) continue;
      await cancel(harness.engine, idOf(target));
      held.delete(target);
      model.end(target, "cancelled");
    } else if (what === 9) {
      const target = oneOf(inState((state) => state === "dead" || state === "cancelled"));
      if (target === undefined) continue;
      await retry(harness.engine, idOf(target));
      model.revive(target);
    } else if (what === 10 && random() < 0.3) {
      const target = oneOf(inState((state) => state !== "gone"));
      if (target === undefined) continue;
      await deleteJob(harness.engine, idOf(target), { force: true });
      held.delete(target);
      model.end(target, "gone");
    } else if (what === 11 && random() < 0.2) {
      await retryFlow(harness.engine, flow.id);
      // In the order of ids, which is that of the dependencies.
      const failed = inState((state) => state === "dead" || state === "cancelled");
      for (const target of failed.sort((a, b) => Number(idOf(a)) - Number(idOf(b)))) model.revive(target);
    }
    await compare(`step ${step} (${what}) of seed ${seed}`);
  }
  // To the end: nothing waits for ever but what waits for a person.
  for (;;) {
    await claimSome(1_000);
    if (held.size === 0) break;
    for (const [ref, job] of [...held]) await finish(ref, job, below(8));
    await compare(`the end of seed ${seed}`);
  }
  for (const ref of inState((state) => state === "blocked"))
    expect(model.waitingForSomebody(ref), ref).toBe(true);
  const left = [...model.nodes.values()].filter(({ state }) => state !== "gone");
  const count = (wanted: string): number => left.filter(({ state }) => state === wanted).length;
  const counts = {
    jobs: left.length,
    completed: count("completed"),
    dead: count("dead"),
    cancelled: count("cancelled"),
  };
  const ended = await harness.store.flows.get(flow.id);
  if (left.length === 0) expect(ended).toBeNull();
  else expect(ended).toMatchObject({ counts, state: flowStateOf(counts), stuck: count("blocked") > 0 });
}
