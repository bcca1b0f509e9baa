import { describe, expect } from "vitest";
import { MAX_LOG_LINES } from "../../src/core/defaults.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";

export function notesContract(contract: Contract): void {
  describe("progress", () => {
    contract.test("the latest one is shown and outlives the attempt", async (harness) => {
      const job = await harness.running();
      expect(await harness.store.claims.progress(job, 33.5, "a third")).toBeNull();
      harness.clock.block(10);
      expect(await harness.store.claims.progress(job, 60, null)).toBeNull();
      await harness.complete(job);
      expect((await harness.job(job.id)).progress).toEqual({ percent: 60, message: null, at: T0 + 10 });
    });
  });

  describe("log", () => {
    contract.test("lines are numbered over all attempts and read in pages", async (harness) => {
      const first = await harness.running();
      await harness.store.claims.log(first, [
        { level: "info", message: "one" },
        { level: "error", message: "zwei \u{1f600}" },
      ]);
      await harness.fail(first, { delayMs: 0 });
      harness.clock.block(10);
      const second = await harness.claimOne();
      await harness.store.claims.log(second, [{ level: "debug", message: "" }]);
      const lines = await harness.store.jobs.logs(first.id, 0, 10);
      expect(lines).toEqual([
        { seq: 1, attempt: 1, at: T0, level: "info", message: "one" },
        { seq: 2, attempt: 1, at: T0, level: "error", message: "zwei \u{1f600}" },
        { seq: 3, attempt: 2, at: T0 + 10, level: "debug", message: "" },
      ]);
      expect(await harness.store.jobs.logs(first.id, 0, 2)).toEqual(lines.slice(0, 2));
      expect(await harness.store.jobs.logs(first.id, 2, 2)).toEqual(lines.slice(2));
    });

    contract.test("a numbered batch that is said again is kept once", async (harness) => {
      const first = await harness.running();
      const { claims } = harness.store;
      const say = (job: typeof first, message: string, seq?: number) =>
        claims.log(job, [{ level: "info", message }], seq);
      await say(first, "one", 1);
      expect(await say(first, "one", 1)).toBeNull();
      await say(first, "two", 2);
      await say(first, "one", 1);
      await say(first, "unnumbered");
      await harness.fail(first, { delayMs: 0 });
      const second = await harness.claimOne();
      // Each claim counts for itself.
      await say(second, "anew", 1);
      expect(await say(first, "late", 9)).toBe("reclaimed");
      const lines = await harness.store.jobs.logs(first.id, 0, 10);
      expect(lines.map(({ message }) => message)).toEqual(["one", "two", "unnumbered", "anew"]);
    });

    contract.test("a job's log is bounded, and its last line says so", async (harness) => {
      const job = await harness.running();
      const line = { level: "info", message: "line" } as const;
      await harness.store.claims.log(job, new Array(MAX_LOG_LINES - 1).fill(line));
      expect(await harness.store.claims.log(job, [line, line])).toBeNull();
      expect(await harness.store.claims.log(job, [line])).toBeNull();
      const lines = await harness.store.jobs.logs(job.id, 0, 2 * MAX_LOG_LINES);
      expect(lines).toHaveLength(MAX_LOG_LINES);
      expect(lines.at(-2)).toMatchObject({ level: "info", message: "line" });
      expect(lines.at(-1)).toMatchObject({ level: "warn" });
      expect(lines.at(-1)?.message).toContain(String(MAX_LOG_LINES));
    });
  });
}
