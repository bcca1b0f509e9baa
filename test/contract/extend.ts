import { describe, expect } from "vitest";
import { heartbeat } from "../../src/engine/heartbeat.js";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";
import { faultsOf, LEASE_MS } from "./harness.js";

export function extendContract(contract: Contract): void {
  describe("extend", () => {
    contract.test("LSE-06 every heartbeat moves the end of the lease on", async (harness) => {
      const job = await harness.running();
      for (let beat = 1; beat <= 20; beat += 1) {
        harness.clock.block(300);
        expect(await harness.store.claims.extend([job], LEASE_MS)).toEqual([
          { ok: true, leaseExpiresAt: T0 + beat * 300 + LEASE_MS },
        ]);
        expect(await harness.reap()).toBe(0);
      }
      expect((await harness.job(job.id)).leaseExpiresAt).toBe(T0 + 6_000 + LEASE_MS);
      expect(await harness.complete(job)).toMatchObject({ ok: true });
    });

    contract.test("a shorter lease shortens", async (harness) => {
      const job = await harness.running({}, { leaseMs: 60_000 });
      await harness.store.claims.extend([job], 100);
      expect((await harness.job(job.id)).leaseExpiresAt).toBe(T0 + 100);
    });

    contract.test("a lease that ended and was not taken away can be extended", async (harness) => {
      const job = await harness.running();
      harness.clock.block(10 * LEASE_MS);
      expect(await harness.store.claims.extend([job], LEASE_MS)).toMatchObject([{ ok: true }]);
      expect(await harness.reap()).toBe(0);
    });

    contract.test("each lease for itself, answered in order", async (harness) => {
      await harness.enqueueMany([{}, {}, {}]);
      const [a, b, c] = await harness.claim({ max: 3 });
      await harness.store.jobs.cancel(b!.id);
      expect(await harness.store.claims.extend([c!, { id: "none", token: 1 }, b!, a!], LEASE_MS)).toEqual([
        { ok: true, leaseExpiresAt: T0 + LEASE_MS },
        { ok: false, reason: "gone" },
        { ok: false, reason: "cancelled" },
        { ok: true, leaseExpiresAt: T0 + LEASE_MS },
      ]);
      expect(await harness.store.claims.extend([], LEASE_MS)).toEqual([]);
    });

    contract.test("LSE-16 a lease that makes no sense is refused", async (harness) => {
      const job = await harness.running();
      for (const leaseMs of [0, -1, Number.NaN, Infinity, "10" as unknown as number, 1e12]) {
        expect(await faultsOf(heartbeat(harness.engine, [job], leaseMs))).toEqual(["/leaseMs out_of_range"]);
      }
      expect((await harness.job(job.id)).leaseExpiresAt).toBe(T0 + LEASE_MS);
    });
  });
}
