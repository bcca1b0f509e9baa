import { RECORD_AGES } from "../support/record-ages.js";
import { describe, expect } from "vitest";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";

const WORKER = {
  id: "w1",
  claimant: null,
  host: "host",
  pid: 1,
  queues: ["a", "b"],
  names: ["x"],
  concurrency: 10,
  running: 0,
  state: "active",
} as const;

export function workersContract(contract: Contract): void {
  describe("workers", () => {
    contract.test(
      "are listed while they report, with the time of the first and last report",
      async (harness) => {
        const { workers } = harness.store;
        await workers.seen(WORKER);
        await workers.seen({ ...WORKER, id: "w0", names: null });
        harness.clock.block(5_000);
        await workers.seen({
          ...WORKER,
          running: 7,
          state: "stopping",
          concurrency: 3,
          queues: ["c"],
          names: null,
        });
        expect(await workers.list(60_000)).toEqual([
          { ...WORKER, id: "w0", names: null, startedAt: T0, seenAt: T0 },
          {
            ...WORKER,
            running: 7,
            state: "stopping",
            concurrency: 3,
            queues: ["c"],
            names: null,
            startedAt: T0,
            seenAt: T0 + 5_000,
          },
        ]);
        expect((await workers.list(5_000)).map(({ id }) => id)).toEqual(["w1"]);
      },
    );

    contract.test("sign off, also when they are not known", async (harness) => {
      await harness.store.workers.seen(WORKER);
      await harness.store.workers.gone("w1");
      await harness.store.workers.gone("w1");
      expect(await harness.store.workers.list(60_000)).toEqual([]);
    });

    contract.test(
      "of different claimants are different workers, whatever they are called",
      async (harness) => {
        const { workers } = harness.store;
        await workers.seen(WORKER);
        await workers.seen({ ...WORKER, claimant: "one", queues: ["c"] });
        await workers.seen({ ...WORKER, claimant: "two", queues: ["d"] });
        await workers.seen({ ...WORKER, id: "w1-b", claimant: "one" });
        await workers.seen({ ...WORKER, claimant: "one", queues: ["e"] });
        const listed = await workers.list(60_000);
        expect(listed.map(({ id, claimant, queues }) => [id, claimant, queues])).toEqual([
          ["w1", null, ["a", "b"]],
          ["w1", "one", ["e"]],
          ["w1", "two", ["d"]],
          ["w1-b", "one", ["a", "b"]],
        ]);
        await workers.gone("w1");
        expect((await workers.list(60_000)).map(({ claimant }) => claimant)).toEqual(["one", "two", "one"]);
      },
    );

    contract.test("PAY-13 any printable id and host is kept as it is", async (harness) => {
      const ids = ["Basecamp’s-Computer", "<script>alert(1)</script>", "😀", "x".repeat(255), "' OR 1=1 --"];
      for (const id of ids) await harness.store.workers.seen({ ...WORKER, id, host: id });
      const listed = await harness.store.workers.list(60_000);
      expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids));
      for (const { id, host } of listed) expect(host).toBe(id);
      const job = await harness.running({}, { workerId: "Basecamp’s-Computer" });
      expect((await harness.job(job.id)).workerId).toBe("Basecamp’s-Computer");
    });

    contract.test(
      "GRW-09 records of vanished workers are removed, live ones and new ones stay",
      async (harness) => {
        const { workers, maintenance } = harness.store;
        for (let n = 0; n < 50; n += 1) await workers.seen({ ...WORKER, id: `old-${n}` });
        harness.clock.block(60_000);
        await workers.seen({ ...WORKER, id: "edge" });
        harness.clock.block(60_000);
        await workers.seen({ ...WORKER, id: "new" });
        await maintenance.pruneRecords({
          ...RECORD_AGES,
          minutes: 1_000_000,
          hours: 1_000_000,
          workers: 60_000,
        });
        expect((await workers.list(1_000_000)).map(({ id }) => id)).toEqual(["edge", "new"]);
      },
    );
  });
}
