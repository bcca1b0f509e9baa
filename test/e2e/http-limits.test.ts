import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { ExplanationView } from "../../src/api/explanation.js";
import { AckView, SettledView } from "../../src/api/lease.js";
import { QueueView } from "../../src/api/queue.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";

const NONE = {
  concurrency: null,
  rateLimit: null,
  perKey: { concurrency: null, rateLimit: null },
  ageingMs: null,
  heldUntil: null,
};

function patch(server: HttpServer, json: object, headers: Record<string, string> = {}) {
  return server.send("PATCH", "/v1/queues/default", { json, headers });
}

async function add(server: HttpServer, job: object = {}): Promise<string> {
  return String((await server.post("/v1/jobs", { name: "a", ...job })).body["id"]);
}

async function claim(server: HttpServer, max = 10, waitMs = 0) {
  const request = { workerId: "w", queues: ["default"], max, waitMs, leaseMs: 60_000 };
  return (await server.post("/v1/claim", request)).as(ClaimView).jobs;
}

describe("limits", () => {
  test("are edited one by one, and only as they were read", async () => {
    const server = await startHttpServer();
    const rateLimit = { max: 100, perMs: 60_000 };
    const first = await patch(server, { concurrency: 5, rateLimit });
    expect(first.as(QueueView)).toMatchObject({ ...NONE, concurrency: 5, rateLimit, version: 1 });
    const tag = first.headers.get("etag") ?? "";
    const second = await patch(server, { perKey: { concurrency: 1 }, rateLimit: null }, { "if-match": tag });
    expect(second.as(QueueView)).toMatchObject({
      ...NONE,
      concurrency: 5,
      perKey: { concurrency: 1, rateLimit: null },
    });
    expect((await patch(server, { concurrency: 6 }, { "if-match": tag })).status).toBe(412);
    // A pause with them is a second edit of the version that the first has made.
    const both = { paused: true, pauseReason: "deploy", concurrency: null, perKey: null, ageingMs: 1_000 };
    const third = await patch(server, both, { "if-match": second.headers.get("etag") ?? "" });
    expect(third.as(QueueView)).toMatchObject({ ...NONE, ageingMs: 1_000, pauseReason: "deploy" });
    expect((await server.get("/v1/queues/default")).body).toMatchObject({ ageingMs: 1_000 });
  });

  test("RLM-09 nonsense is 422 with each pointer", async () => {
    const server = await startHttpServer();
    const faultsOf = async (json: object) => {
      const { status, body } = await patch(server, json);
      expect(status).toBe(422);
      return (body["errors"] as { pointer: string }[]).map(({ pointer }) => pointer).toSorted();
    };
    expect(await faultsOf({})).toEqual([""]);
    expect(await faultsOf({ concurrency: 0 })).toEqual(["/concurrency"]);
    expect(await faultsOf({ concurrency: 1.5, ageingMs: -1 })).toEqual(["/ageingMs", "/concurrency"]);
    expect(await faultsOf({ rateLimit: { max: 1 } })).toEqual(["/rateLimit/perMs"]);
    expect(await faultsOf({ perKey: { concurency: 1 } })).toEqual(["/perKey/concurency"]);
    expect(await faultsOf({ pauseReason: "why" })).toEqual(["/pauseReason"]);
    const job = await server.post("/v1/jobs", { name: "a", concurrencyKey: "", rateKey: "a\nb" });
    expect(job.status).toBe(422);
  });

  test("hold for claims, and a job says which one holds it back", async () => {
    const server = await startHttpServer();
    await patch(server, { perKey: { concurrency: 1 } });
    await add(server, { concurrencyKey: "t" });
    const id = await add(server, { concurrencyKey: "t", rateKey: "r" });
    expect(await claim(server)).toHaveLength(1);
    expect(await claim(server)).toHaveLength(0);
    expect((await server.get(`/v1/jobs/${id}`)).body).toMatchObject({ concurrencyKey: "t", rateKey: "r" });
    const explained = (await server.get(`/v1/jobs/${id}/explain`)).as(ExplanationView);
    expect(explained).toEqual({
      state: "pending",
      reason: "limited",
      detail: "As many jobs with the key t of the queue default are running as may: 1.",
      facts: { limit: "key_concurrency", key: "t", until: null, max: 1, perMs: null },
      expiresAt: null,
    });
  });

  test("a worker may hold the queue or a key, alone or in an ack", async () => {
    const server = await startHttpServer();
    await add(server, { rateKey: "a" });
    await add(server, { rateKey: "b" });
    await add(server, { rateKey: "a" });
    const [first, second] = await claim(server, 2);
    const snooze = { leaseToken: first!.leaseToken, delayMs: 60_000, hold: "key" };
    const answer = await server.post(`/v1/jobs/${first!.id}/snooze`, snooze);
    expect(answer.as(SettledView).state).toBe("scheduled");
    expect(await claim(server)).toEqual([]);
    await add(server);
    const result = { id: second!.id, leaseToken: second!.leaseToken, outcome: "snoozed" };
    const ack = await server.post("/v1/ack", { results: [{ ...result, delayMs: 60_000, hold: "queue" }] });
    expect(ack.as(AckView).results).toMatchObject([{ ok: true, state: "scheduled" }]);
    expect(await claim(server)).toEqual([]);
    const queue = (await server.get("/v1/queues/default")).as(QueueView);
    expect(Date.parse(queue.heldUntil ?? "")).toBeGreaterThan(Date.now());
    const wrong = { ...result, outcome: "completed", hold: "queue" };
    expect((await server.post("/v1/ack", { results: [wrong] })).status).toBe(422);
  });

  test("a claim that waits gets the next job when the rate lets it in", async () => {
    const server = await startHttpServer();
    await patch(server, { rateLimit: { max: 1, perMs: 300 } });
    await add(server);
    await add(server);
    const [first] = await claim(server);
    const [second] = await claim(server, 1, 20_000);
    const between = Date.parse(second!.startedAt) - Date.parse(first!.startedAt);
    expect(between).toBeGreaterThanOrEqual(300);
    expect(between).toBeLessThan(20_000);
  });
});
