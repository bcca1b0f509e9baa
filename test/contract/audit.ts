import { describe, expect } from "vitest";
import { T0 } from "../support/fake-clock.js";
import type { Contract } from "./contract.js";

const ENTRY = {
  tokenId: "abcd1234",
  tokenName: "shop",
  session: true,
  ip: "::1",
  requestId: "r",
  action: "cancelJob",
  target: "1",
  detail: "why; DROP TABLE audit",
  status: null,
} as const;

export function auditContract(contract: Contract): void {
  describe("the audit log", () => {
    contract.test("has entries in the order in which they began, and how they ended", async (harness) => {
      const { audit } = harness.store;
      const first = await audit.begin(ENTRY);
      harness.clock.block(10);
      const second = await audit.begin({ ...ENTRY, session: false, target: null, detail: null });
      expect(second).toBeGreaterThan(first);
      await audit.finish(first, 200);
      // Only the first answer counts.
      await audit.finish(first, 500);
      expect(await audit.list(10, null)).toEqual([
        { ...ENTRY, session: false, target: null, detail: null, seq: second, at: T0 + 10 },
        { ...ENTRY, seq: first, at: T0, status: 200 },
      ]);
      expect((await audit.list(10, second)).map(({ seq }) => seq)).toEqual([first]);
      expect(await audit.list(1, null)).toHaveLength(1);
    });
  });
}
