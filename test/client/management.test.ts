import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { KonveierClient, type EventMessage } from "../../src/client/index.js";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";

async function setUp() {
  const server = await startHttpServer();
  return { server, client: new KonveierClient({ url: server.url, token: API_TOKEN }) };
}

describe("KonveierClient", () => {
  test("counts jobs, and says how far a search looked", async () => {
    const { client } = await setUp();
    await client.enqueueMany([{ name: "a", payload: { x: 1 } }, { name: "b" }]);
    expect(await client.jobs.count({ q: "name:a" })).toEqual({ count: 1, capped: false, scan: null });
    const page = await client.jobs.page({ q: "payload.x=1" });
    expect(page).toMatchObject({ items: [{ name: "a" }], scan: { complete: true } });
  });

  test("waits for a job, as long as it may", async () => {
    const { client, server } = await setUp();
    const { id } = await client.enqueue({ name: "a" });
    expect(await client.jobs.wait(id, { withinMs: 0 })).toMatchObject({ finished: false, state: "pending" });
    const waiting = client.jobs.wait(id);
    const { jobs } = (await server.post("/v1/claim", { workerId: "w", queues: ["default"] })).as(ClaimView);
    await client.leases.complete(jobs[0]!, { y: 2 });
    expect(await waiting).toMatchObject({ finished: true, state: "completed", result: { y: 2 } });
  });

  test("previews, starts, lists and cancels operations", async () => {
    const { client } = await setUp();
    await client.enqueueMany([{ name: "a" }, { name: "b" }]);
    const preview = await client.operations.preview({ action: "cancel", q: "name:a" });
    expect(preview).toMatchObject({ matched: 1, samples: [{ name: "a" }] });
    const operation = await client.operations.start(preview.previewToken, { perSecond: 5, reason: "why" });
    expect(operation).toMatchObject({ state: "running", perSecond: 5, reason: "why" });
    const again = await client.operations.start(preview.previewToken);
    expect(again.id).toBe(operation.id);
    const ids: string[] = [];
    for await (const { id } of client.operations.list(1)) ids.push(id);
    expect(ids).toEqual([operation.id]);
    expect(await client.operations.cancel(operation.id)).toMatchObject({ state: "cancelled" });
    expect(await client.operations.get(operation.id)).toMatchObject({ state: "cancelled" });
  });

  test("makes tokens, rotates and revokes them, and reads the audit log page by page", async () => {
    const { client, server } = await setUp();
    const made = await client.tokens.create({ name: "t", scopes: ["worker"], queues: ["q*"] });
    const other = new KonveierClient({ url: server.url, token: made.token });
    expect(await other.tokens.self()).toMatchObject({ id: made.id, capabilities: ["work"], queues: ["q*"] });
    const rotated = await client.tokens.rotate(made.id, { overlapMs: 0 });
    await expect(other.tokens.self()).rejects.toMatchObject({ code: "unauthorized" });
    await client.tokens.revoke(rotated.id);
    expect((await client.tokens.list()).map(({ revokedAt }) => revokedAt === null)).toEqual([false, true]);
    const actions: string[] = [];
    for await (const { action } of client.audit.list(2)) actions.push(action);
    expect(actions).toEqual(["revokeToken", "rotateToken", "createToken"]);
  });

  test("asks why a job does not run, and what jobs died of", async () => {
    const { client } = await setUp();
    const { id } = await client.enqueue({ name: "a" });
    expect(await client.jobs.explain(id)).toMatchObject({ state: "pending", reason: "no_worker" });
    const { jobs } = await client.leases.claim({ workerId: "w", queues: ["default"], max: 1 });
    await client.leases.fail(jobs[0]!, { error: { message: "no row 7" }, retry: "never" });
    expect(await client.dead.groups({ sort: "latest", limit: 1 })).toMatchObject({
      items: [{ message: "no row <n>", count: 1, latestJobId: id }],
      more: false,
    });
    expect(await client.jobs.explain(id)).toMatchObject({ state: "dead", reason: "finished" });
  });

  test("reads figures", async () => {
    const { client } = await setUp();
    await client.enqueue({ name: "a" });
    expect(await client.stats.overview()).toMatchObject({ all: { counts: { pending: 1 } } });
    expect(await client.stats.timeseries({ metric: "activity" })).toMatchObject({
      step: expect.any(String) as string,
    });
    expect(await client.stats.queues()).toMatchObject({ items: [{ queue: "default" }], more: false });
    expect(await client.stats.names({ queue: "default" })).toMatchObject({ items: [], more: false });
    expect(await client.stats.findings()).toMatchObject({ items: [{ code: "no_worker", queue: "default" }] });
    expect(await client.jobs.countByState({ name: "a" })).toMatchObject({
      states: { pending: { count: 1 } },
    });
  });

  test("follows events through cut connections, missing none", async () => {
    const { client, server } = await setUp();
    const { lastId } = await client.events.page();
    await client.enqueue({ name: "n1" });
    const end = new AbortController();
    const cuts: unknown[] = [];
    const names: string[] = [];
    const follow = { signal: end.signal, onReconnect: (why: unknown) => cuts.push(why) };
    const streams: Socket[] = [];
    server.server.app.server.on("request", ({ url, socket }: IncomingMessage) => {
      if (url?.startsWith("/v1/events") === true) streams.push(socket);
    });
    for await (const event of client.events.follow({ topics: ["job"], after: String(lastId) }, follow)) {
      if (event.type !== "job") throw new Error(JSON.stringify(event));
      names.push(event.name);
      if (names.length === 3) break;
      streams.at(-1)?.destroy();
      await client.enqueue({ name: `n${names.length + 1}` });
    }
    expect(names).toEqual(["n1", "n2", "n3"]);
    expect(cuts).toHaveLength(2);
    expect(streams).toHaveLength(3);
  });

  test("is told when events are missing, and when it may not follow them", async () => {
    const { client, server } = await setUp();
    const messages: EventMessage[] = [];
    for await (const message of client.events.follow({ after: "999999" })) {
      messages.push(message);
      break;
    }
    expect(messages).toMatchObject([{ type: "reset", reason: "unknown_id" }]);
    const stranger = new KonveierClient({ url: server.url, token: "wrong" });
    const first = stranger.events.follow().next();
    await expect(first).rejects.toMatchObject({ code: "unauthorized" });
    const end = new AbortController();
    const silent = client.events.follow({ topics: ["queue"] }, { signal: end.signal }).next();
    const reason = new Error("enough");
    end.abort(reason);
    await expect(silent).rejects.toBe(reason);
  });
});
