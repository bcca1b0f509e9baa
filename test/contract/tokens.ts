import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { T0 } from "../support/fake-clock.js";
import type { NewToken } from "../../src/store/tokens.js";
import type { Contract } from "./contract.js";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const TOKEN: NewToken = {
  id: "abcd1234",
  name: "the shop’s “own” token",
  digest: digest("a"),
  scopes: ["producer", "read-only"],
  queues: ["a", "b.*"],
  createdBy: "root",
  expiresAt: T0 + 100_000,
};

export function tokensContract(contract: Contract): void {
  describe("tokens", () => {
    contract.test("come back as they were made, newest first", async (harness) => {
      const { tokens } = harness.store;
      const { digest: kept, ...seen } = TOKEN;
      const made = { ...seen, createdAt: T0, lastUsedAt: null, revokedAt: null };
      expect(await tokens.insert(TOKEN)).toEqual(made);
      expect(await tokens.find(TOKEN.id)).toEqual({ ...made, digest: kept });
      expect(await tokens.find("nobody")).toBeNull();
      harness.clock.block(1);
      await tokens.insert({ ...TOKEN, id: "later", queues: null, expiresAt: null });
      expect((await tokens.list()).map(({ id, queues }) => [id, queues])).toEqual([
        ["later", null],
        [TOKEN.id, TOKEN.queues],
      ]);
    });

    contract.test("are revoked once, with the sessions that they opened", async (harness) => {
      const { tokens } = harness.store;
      await tokens.insert(TOKEN);
      await tokens.insert({ ...TOKEN, id: "other" });
      const session = (tokenId: string) => ({ tokenId, tokenDigest: TOKEN.digest });
      await tokens.openSession(digest("s1"), session(TOKEN.id));
      await tokens.openSession(digest("s2"), session("other"));
      expect(await tokens.revoke(TOKEN.id)).toMatchObject({ revokedAt: T0 });
      harness.clock.block(5);
      expect(await tokens.revoke(TOKEN.id)).toMatchObject({ revokedAt: T0 });
      expect(await tokens.session(digest("s1"))).toBeNull();
      expect(await tokens.session(digest("s2"))).not.toBeNull();
      expect(await tokens.revoke("nobody")).toBeNull();
    });

    contract.test("may end earlier, never later", async (harness) => {
      const { tokens } = harness.store;
      await tokens.insert(TOKEN);
      await tokens.insert({ ...TOKEN, id: "endless", expiresAt: null });
      expect(await tokens.expireBy(TOKEN.id, T0 + 200_000)).toMatchObject({ expiresAt: T0 + 100_000 });
      expect(await tokens.expireBy(TOKEN.id, T0 + 50_000)).toMatchObject({ expiresAt: T0 + 50_000 });
      expect(await tokens.expireBy("endless", T0 + 50_000)).toMatchObject({ expiresAt: T0 + 50_000 });
      expect(await tokens.expireBy("nobody", T0)).toBeNull();
    });

    contract.test("and sessions remember their last use, to the minute", async (harness) => {
      const { tokens } = harness.store;
      await tokens.insert(TOKEN);
      await tokens.openSession(digest("s"), { tokenId: TOKEN.id, tokenDigest: TOKEN.digest });
      harness.clock.block(90_000);
      await tokens.used(TOKEN.id);
      await tokens.sessionSeen(digest("s"));
      const minute = Math.floor((T0 + 90_000) / 60_000) * 60_000;
      expect(await tokens.find(TOKEN.id)).toMatchObject({ lastUsedAt: minute });
      expect(await tokens.session(digest("s"))).toEqual({
        tokenId: TOKEN.id,
        tokenDigest: TOKEN.digest,
        createdAt: T0,
        seenAt: minute,
      });
      await tokens.closeSession(digest("s"));
      expect(await tokens.session(digest("s"))).toBeNull();
    });
  });
}
