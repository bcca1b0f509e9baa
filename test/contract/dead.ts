import { describe, expect } from "vitest";
import type { ClaimedJob } from "../../src/core/job.js";
import { kindOfError } from "../../src/core/error-fingerprint.js";
import { eligible } from "../../src/core/bulk-action.js";
import { parseJobQuery } from "../../src/core/job-query/parse.js";
import { deleteJob } from "../../src/engine/delete.js";
import { cancel } from "../../src/engine/cancel.js";
import type { DeadGroup, DeadGroupFilter, DeadGroupOrder } from "../../src/store/dead.js";
import { T0 } from "../support/fake-clock.js";
import { checkDeadGroups } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import type { Contract } from "./contract.js";
import { LEASE_MS, type Harness } from "./harness.js";

const DAY_MS = 24 * 3_600_000;

function failed(message: string, type = "Error") {
  return { outcome: "failed", error: { type, message, stack: null } } as const;
}

function fingerprintOf(message: string, type = "Error"): string {
  return kindOfError({ type, message, stack: null }).fingerprint;
}

/** A job that died of this, a millisecond after what was before. */
async function dead(
  harness: Harness,
  message: string,
  { queue = "default", name = "work" }: { queue?: string; name?: string } = {},
): Promise<ClaimedJob> {
  harness.clock.block(1);
  const job = await harness.running({ queue, name }, { queues: [queue], names: [name] });
  await harness.fail(job, "never", failed(message));
  return job;
}

function groups(
  { store }: Harness,
  filter: DeadGroupFilter = {},
  globs: readonly string[] | null = null,
  order: DeadGroupOrder = "count",
  limit = 100,
): Promise<readonly DeadGroup[]> {
  return store.dead.groups(filter, globs, order, limit);
}

async function shown(...asked: Parameters<typeof groups>): Promise<string[]> {
  return (await groups(...asked)).map(
    ({ queue, name, message, count }) => `${queue} ${name} ${message} ${count}`,
  );
}

/** Does to jobs at random what makes them dead and what ends that. */
class RandomWork {
  #running: ClaimedJob[] = [];
  #bulks = 0;

  constructor(
    private readonly harness: Harness,
    private readonly random: () => number,
  ) {}

  async step(): Promise<void> {
    const { harness } = this;
    harness.clock.block(this.#below(3) * 200);
    const queue = `q${this.#below(2)}`;
    const name = `n${this.#below(2)}`;
    const maxAttempts = 1 + this.#below(2);
    await harness.enqueue({ queue, name, maxAttempts, backoff: { type: "fixed", delayMs: 0 } });
    this.#running.push(...(await harness.claim({ queues: [queue], max: 2, leaseMs: LEASE_MS })));
    await this.#end();
    await this.#end();
    await this.#byHand(queue);
  }

  async #end(): Promise<void> {
    const [job] = this.#running.splice(this.#below(this.#running.length), 1);
    // The lease may have ended, or the job may be gone.
    if (job === undefined || typeof (await this.harness.store.claims.current(job)) === "string") return;
    const { harness } = this;
    const message = `${["no such row", "timed out after"][this.#below(2)] ?? ""} ${this.#below(1_000)}`;
    const way = this.#below(5);
    if (way === 0) await harness.complete(job);
    else if (way === 1) await harness.fail(job, "auto", { ...failed(message), outcome: "timed_out" });
    else if (way === 2) await cancel(harness.engine, job.id);
    else await harness.fail(job, way === 3 ? "never" : "auto", failed(message, `E${this.#below(2)}`));
  }

  async #byHand(queue: string): Promise<void> {
    const { harness } = this;
    const { store } = harness;
    const { items } = await store.jobs.list({ state: "dead" }, 10, null);
    const id = items[this.#below(items.length)]?.id;
    const way = this.#below(12);
    if (way < 4) await harness.reap();
    else if (way === 4 && id !== undefined) await store.jobs.revive(id);
    else if (way === 5 && id !== undefined) await deleteJob(harness.engine, id);
    else if (way === 6) await store.jobs.reviveMany({ queue }, store.now() - 3_000, 3);
    else if (way === 7) {
      const keep = { completedMs: null, cancelledMs: null, maxCompleted: null };
      await store.maintenance.prune({ ...keep, deadMs: 9_000 }, 5);
    } else if (way === 8) await this.#bulk(this.random() < 0.5 ? "retry" : "delete");
  }

  async #bulk(action: "retry" | "delete"): Promise<void> {
    const { store } = this.harness;
    this.#bulks += 1;
    const [group] = await groups(this.harness, {}, null, "latest", 1);
    if (group === undefined) return;
    const { operation } = await store.operations.start({
      action,
      query: eligible(action, parseJobQuery(`fingerprint:${group.fingerprint}`)),
      queueGlobs: null,
      perSecond: 20,
      reason: null,
      matched: 0,
      createdBy: "t",
      preview: Buffer.from(`bulk ${this.#bulks}`),
      untilId: await store.operations.lastJobId(),
    });
    await store.operations.step(operation.id);
  }

  #below(n: number): number {
    return Math.floor(this.random() * n);
  }
}

export function deadContract(contract: Contract): void {
  describe("groups of dead jobs", () => {
    contract.test("are what a recount gives after each of many random changes", async (harness) => {
      const work = new RandomWork(harness, seededRandom(11));
      let most = 0;
      for (let n = 0; n < 250; n += 1) {
        await work.step();
        most = Math.max(most, await checkDeadGroups(harness.store));
      }
      expect(most).toBeGreaterThan(10);
      expect(await groups(harness)).toEqual(
        await (await harness.another()).dead.groups({}, null, "count", 100),
      );
    });

    contract.test("tell what jobs died of, when, and which died last", async (harness) => {
      await dead(harness, "no such row 17");
      await dead(harness, "timed out");
      const last = await dead(harness, "no such row 4");
      const [first, ...others] = await groups(harness);
      expect(first).toEqual({
        fingerprint: fingerprintOf("no such row 1"),
        queue: "default",
        name: "work",
        type: "Error",
        message: "no such row <n>",
        count: 2,
        firstAt: T0 + 1,
        lastAt: T0 + 3,
        latestJobId: last.id,
      });
      expect(others).toMatchObject([{ message: "timed out", count: 1, firstAt: T0 + 2, lastAt: T0 + 2 }]);
      expect(await harness.job(last.id)).toMatchObject({ fingerprint: first?.fingerprint });
    });

    contract.test("go by the error of the last attempt, and only while the job is dead", async (harness) => {
      const { id } = await harness.enqueue({ maxAttempts: 2, backoff: { type: "fixed", delayMs: 0 } });
      await harness.fail(await harness.claimOne(), "auto", failed("first"));
      expect(await groups(harness)).toEqual([]);
      expect((await harness.job(id)).fingerprint).toBeNull();
      await harness.fail(await harness.claimOne(), "auto", failed("second"));
      expect(await shown(harness)).toEqual(["default work second 1"]);
      await harness.store.jobs.revive(id);
      expect(await groups(harness)).toEqual([]);
      expect((await harness.job(id)).fingerprint).toBeNull();
      await harness.fail(await harness.claimOne(), "never", failed("third"));
      expect(await shown(harness)).toEqual(["default work third 1"]);
      await checkDeadGroups(harness.store);
    });

    contract.test("a crash of a worker is one kind, whichever worker it was", async (harness) => {
      for (const workerId of ["web-1:17:ab", "web-2:4242:cd"]) {
        await harness.running({ maxAttempts: 1 }, { workerId });
        harness.clock.block(LEASE_MS);
        await harness.reap();
      }
      expect(await groups(harness)).toMatchObject([{ type: "LeaseExpired", count: 2 }]);
    });

    contract.test(
      "sorted and limited, of one queue or name, and of the queues that may be seen",
      async (harness) => {
        for (const [message, queue, name] of [
          ["a", "mail", "send"],
          ["a", "mail", "send"],
          ["b", "mail", "bounce"],
          ["a", "image", "resize"],
          ["a", "mail-bulk", "send"],
          ["a", "mail-bulk", "send"],
          ["a", "mail-bulk", "send"],
          ["c", "image", "resize"],
        ] as const) {
          await dead(harness, message, { queue, name });
        }
        const [bulk, mail, b, a, c] = [
          "mail-bulk send a 3",
          "mail send a 2",
          "mail bounce b 1",
          "image resize a 1",
          "image resize c 1",
        ];
        // The same number: the youngest group first.
        expect(await shown(harness)).toEqual([bulk, mail, c, a, b]);
        expect(await shown(harness, {}, null, "latest")).toEqual([c, bulk, a, b, mail]);
        expect(await shown(harness, {}, null, "count", 2)).toEqual([bulk, mail]);
        expect(await shown(harness, { queue: "mail" })).toEqual([mail, b]);
        expect(await shown(harness, { name: "send" }, null, "latest")).toEqual([bulk, mail]);
        expect(await shown(harness, { queue: "mail", name: "resize" })).toEqual([]);
        expect(await shown(harness, {}, ["mail*"])).toEqual([bulk, mail, b]);
        expect(await shown(harness, { queue: "image" }, ["mail*"])).toEqual([]);
        expect(await shown(harness, {}, [])).toEqual([]);
      },
    );

    contract.test(
      "when their last or first job leaves, their times are those of the others",
      async (harness) => {
        const jobs = [await dead(harness, "a"), await dead(harness, "a"), await dead(harness, "a")];
        const times = async () =>
          (await groups(harness)).map(({ firstAt, lastAt }) => [firstAt - T0, lastAt - T0]);
        await harness.store.jobs.revive(jobs[2]!.id);
        expect(await times()).toEqual([[1, 2]]);
        await harness.store.jobs.delete(jobs[0]!.id, false);
        expect(await times()).toEqual([[2, 2]]);
        harness.clock.block(DAY_MS);
        const keep = { completedMs: null, cancelledMs: null, maxCompleted: null };
        await harness.store.maintenance.prune({ ...keep, deadMs: 1_000 }, 10);
        expect(await times()).toEqual([]);
      },
    );

    contract.test("their jobs are found, counted and retried by fingerprint", async (harness) => {
      for (let n = 0; n < 30; n += 1) {
        await dead(harness, n % 3 === 0 ? "b" : `a ${n}`, { queue: n % 2 === 0 ? "even" : "odd" });
      }
      const { store } = harness;
      const find = async (filter: string) => {
        const query = parseJobQuery(filter);
        const ids: string[] = [];
        let cursor = null;
        do {
          const page: Awaited<ReturnType<typeof store.jobs.search>> = await store.jobs.search(
            query,
            null,
            4,
            cursor,
            1_000,
          );
          expect(page.scan).toBeNull();
          ids.push(...page.items.map(({ id }) => id));
          cursor = page.next;
        } while (cursor !== null);
        expect(await store.jobs.count(query, null, 100, 1_000)).toEqual({
          count: ids.length,
          capped: false,
          scan: null,
        });
        return ids.map(Number);
      };
      const a = fingerprintOf("a 1");
      const even = [29, 27, 23, 21, 17, 15, 11, 9, 5, 3];
      expect(await find(`state:dead fingerprint:${a} queue:even name:work`)).toEqual(even);
      expect(await find(`fingerprint:${a} queue:even`)).toEqual(even);
      expect(await find(`fingerprint:${a} state:completed`)).toEqual([]);
      expect(await find(`state:dead fingerprint:${fingerprintOf("c")}`)).toEqual([]);
      const query = parseJobQuery(`state:dead fingerprint:${a} queue:even`);
      expect((await store.jobs.matching(query, null, "5", 4, 1_000)).ids).toEqual(["9", "11", "15", "17"]);
      expect((await store.jobs.matching(query, ["odd"], null, 4, 1_000)).ids).toEqual([]);
    });
  });
}
