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

const successor = (id: string) => ({ id, digest: digest(id), createdBy: `${id}'s maker` });

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

    contract.test(
      "have the rights and the end of what they replace, which ends earlier, never later",
      async (harness) => {
        const { tokens } = harness.store;
        const { scopes, queues, name } = await tokens.insert(TOKEN);
        await tokens.insert({ ...TOKEN, id: "endless", queues: null, expiresAt: null });
        harness.clock.block(10);
        const made = { createdAt: T0 + 10, lastUsedAt: null, revokedAt: null };
        expect(await tokens.replace(TOKEN.id, successor("b"), 200_000)).toEqual({
          ...{ id: "b", name, scopes, queues, createdBy: "b's maker", expiresAt: T0 + 100_000 },
          ...made,
        });
        expect(await tokens.find("b")).toMatchObject({ digest: digest("b") });
        expect(await tokens.find(TOKEN.id)).toMatchObject({ expiresAt: T0 + 100_000 });
        expect(await tokens.replace("endless", successor("c"), 50_000)).toMatchObject({
          ...{ queues: null, expiresAt: null },
          ...made,
        });
        expect(await tokens.find("endless")).toMatchObject({ expiresAt: T0 + 50_010 });
        expect(await tokens.replace("endless", successor("d"), 20_000)).toMatchObject({
          expiresAt: T0 + 50_010,
        });
        expect(await tokens.find("endless")).toMatchObject({ expiresAt: T0 + 20_010 });
      },
    );

    contract.test("are replaced only while they are valid", async (harness) => {
      const { tokens } = harness.store;
      for (const id of ["revoked", "expired"]) await tokens.insert({ ...TOKEN, id });
      await tokens.revoke("revoked");
      harness.clock.block(100_000);
      for (const id of ["nobody", "revoked", "expired"]) {
        expect(await tokens.replace(id, successor(`after ${id}`), 0)).toBeNull();
      }
      expect((await tokens.list()).map(({ id }) => id).toSorted()).toEqual(["expired", "revoked"]);
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
