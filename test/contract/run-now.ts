import { describe, expect } from "vitest";
import { runNow } from "../../src/engine/run-now.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { refusal } from "./harness.js";

export function runNowContract(contract: Contract): void {
  describe("run now", () => {
    contract.test("ends the wait for the first run", async (harness) => {
      const { id } = await harness.enqueue({ delayMs: 60_000 });
      harness.clock.block(5);
      expect(await runNow(harness.engine, id)).toMatchObject({ state: "pending", runAt: T0 + 5 });
      expect((await harness.claimOne()).id).toBe(id);
    });

    contract.test("ends the wait for a retry and keeps the count of attempts", async (harness) => {
      const job = await harness.running({ maxAttempts: 3 });
      await harness.fail(job, { delayMs: 60_000 });
      await runNow(harness.engine, job.id);
      expect(await harness.claimOne()).toMatchObject({ id: job.id, attempt: 2, failures: 1 });
    });

    contract.test("a second time is fine while the job is pending", async (harness) => {
      const { id } = await harness.enqueue({ delayMs: 60_000 });
      const first = await runNow(harness.engine, id);
      expect(await runNow(harness.engine, id)).toEqual(first);
    });

    contract.test("is refused for jobs that do not wait for a time", async (harness) => {
      const running = await harness.running();
      const done = await harness.running();
      await harness.complete(done);
      expect(await refusal(runNow(harness.engine, running.id))).toBe("invalid_state");
      expect(await refusal(runNow(harness.engine, done.id))).toBe("invalid_state");
      expect(await refusal(runNow(harness.engine, "999"))).toBe("job_not_found");
    });
  });
}
