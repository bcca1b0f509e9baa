import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.js";
import type { JobRequest } from "../core/job-request.js";
import { openSqliteStore } from "../store/sqlite/open.js";
import { createContext } from "./context.js";
import { enqueueMany } from "./enqueue.js";
import { retryMany } from "./retry.js";

const FAILURE = { outcome: "failed", error: { type: "Error", message: "boom", stack: null } } as const;

test("RTY-15 a bulk retry ends although its jobs die again as fast as they are retried", async () => {
  const clock = new FakeClock();
  const store = openSqliteStore(":memory:", { clock });
  const context = createContext(store, { clock });
  const request: JobRequest = { name: "work", maxAttempts: 1 };
  for (let thousand = 0; thousand < 3; thousand += 1) {
    await enqueueMany(context, new Array<JobRequest>(1_000).fill(request));
  }

  let deaths = 0;
  /** Claims whatever is there and buries it. */
  const buryAll = async (): Promise<void> => {
    const names = null;
    const jobs = await store.claims.claim({
      workerId: "w",
      queues: ["default"],
      names,
      max: 1_000,
      leaseMs: 1_000,
    });
    await store.claims.settle(jobs.map(({ id, token }) => ({ verb: "bury", id, token, failure: FAILURE })));
    deaths += jobs.length;
  };
  while (deaths < 3_000) await buryAll();

  clock.block(5);
  const burials: Promise<void>[] = [];
  store.onChange(() => {
    clock.block(1);
    burials.push(buryAll());
  });
  expect(await retryMany(context, { name: "work" })).toBe(3_000);
  await Promise.all(burials);
  expect(deaths).toBe(6_000);
  await store.close();
});
