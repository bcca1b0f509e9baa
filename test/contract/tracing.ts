import { describe, expect } from "vitest";
import { enqueue, enqueueMany } from "../../src/engine/enqueue.js";
import type { Contract } from "./contract.js";

const TRACE = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: `vendor=${"x".repeat(250)},other=${"y".repeat(247)}`,
};
const OTHER = { traceparent: "00-0af7651916cd43dd8448eb211c80319d-b7ad6b7169203332-00", tracestate: null };

export function tracingContract(contract: Contract): void {
  describe("the trace context of a job", () => {
    contract.test("is kept and handed to every attempt", async (harness) => {
      const { id } = await enqueue(harness.engine, { name: "work" }, TRACE);
      expect(await harness.job(id)).toMatchObject({ traceparent: TRACE.traceparent });
      const first = await harness.claimOne();
      expect(first).toMatchObject(TRACE);
      await harness.store.claims.settle([{ verb: "release", id, token: first.token }]);
      const second = await harness.claimOne();
      expect(second).toMatchObject(TRACE);
      expect(await harness.store.claims.current(second)).toMatchObject(TRACE);
    });

    contract.test("is that of the call for every job of a batch", async (harness) => {
      await enqueueMany(harness.engine, [{ name: "work" }, { name: "work" }], OTHER);
      await enqueue(harness.engine, { name: "work" });
      const none = { traceparent: null, tracestate: null };
      expect(await harness.claim({ max: 3 })).toMatchObject([OTHER, OTHER, none]);
    });

    contract.test("does not make an idempotent request another one", async (harness) => {
      const request = { name: "work", idempotencyKey: "key" };
      const { id } = await enqueue(harness.engine, request, TRACE);
      const again = await enqueue(harness.engine, request, OTHER);
      expect(again).toMatchObject({ id, deduplicated: true });
      expect(await harness.claimOne()).toMatchObject(TRACE);
    });
  });
}
