import { expect } from "vitest";
import { isFinished } from "../../src/core/states.js";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { defineJob } from "../../src/core/define-job.js";
import type { FakeClock } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import { LEASE_MS, NAMES, QUEUES } from "./sequence.js";

/** Enough for the reaper, the delay before another attempt, and that attempt. */
const DRAIN_MS = 5_000;

/** One run of a handler. */
export interface DrainRun {
  readonly id: string;
  readonly token: number;
  readonly payload: unknown;
}

/**
 * Starts again after a crash, once every lease has ended: background loops and a worker bring every job
 * of the database to its end, and fire every slot that is due. Fails when one is stuck.
 *
 * @returns the runs that this took
 */
export async function drain(file: string, clock: FakeClock): Promise<DrainRun[]> {
  const runs: DrainRun[] = [];
  clock.block(LEASE_MS);
  const store = openSqliteStore(file, { clock });
  const konveier = Konveier.withStore(store, { clock });
  try {
    for (const queue of QUEUES) await konveier.queues.resume(queue);
    const jobs = NAMES.map((name) =>
      defineJob(name, {
        handler: ({ job, token, payload }) => {
          runs.push({ id: job.id, token, payload });
        },
      }),
    );
    await konveier.worker({ queues: QUEUES, jobs, concurrency: 20 }).start();
    await clock.advance(DRAIN_MS);
    const stuck = (await allJobs(store)).filter(({ state }) => !isFinished(state));
    expect(stuck, "jobs that are stuck").toEqual([]);
    const { items } = await store.schedules.list(100, null);
    const late = items.filter(
      ({ pausedAt, next, waitingSlot }) =>
        pausedAt === null && (waitingSlot !== null || next === null || next.at <= clock.now()),
    );
    expect(late, "schedules that are stuck").toEqual([]);
  } finally {
    const closed = konveier.close();
    await clock.advance(1_000);
    await closed;
  }
  return runs;
}
