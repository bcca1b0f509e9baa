import { expect, onTestFinished, test } from "vitest";
import { defineJob, KonveierClient, RemoteWorker, type AnyJobDefinition } from "../../src/client/index.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";

/** Answers of these calls are lost once, after the server has done what they ask. */
const LOST = ["/flow-jobs", "/wait", "/dependencies"];

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function setUp(jobs: readonly AnyJobDefinition[]) {
  const server: HttpServer = await startHttpServer();
  const lost = new Set<string>();
  const client = new KonveierClient({
    url: server.url,
    token: API_TOKEN,
    random: () => 0,
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      const call = LOST.find(
        (end) => init?.method === "POST" && new URL(input as string).pathname.endsWith(end),
      );
      if (call === undefined || lost.has(call)) return answer;
      lost.add(call);
      throw new TypeError("the answer is lost");
    },
  });
  const worker = new RemoteWorker({ client, jobs, id: "w" });
  onTestFinished(async () => {
    await worker.stop({ graceMs: 0 });
    server.server.app.server.closeAllConnections();
  });
  return { client, worker, lost };
}

test("a handler adds jobs, waits for them and reads their results, whatever answers are lost", async () => {
  let runs = 0;
  const parent = defineJob("parent", {
    handler: async ({ flow, job }) => {
      runs += 1;
      await flow.add([
        { ref: "x", name: "child", payload: 1 },
        { ref: "y", name: "child", payload: 2, dependsOn: ["x"] },
      ]);
      await flow.wait(["x", "y"]);
      const results: unknown[] = [];
      for await (const { ref, state, result } of flow.results()) results.push([ref, state, result]);
      return { results, ref: job.flow?.ref, attempt: job.attempt };
    },
  });
  const child = defineJob<number, number>("child", { handler: ({ payload }) => payload * 10 });
  const { client, worker, lost } = await setUp([parent, child]);
  const { id } = await client.enqueue({ name: "parent" });
  await worker.start();
  const { state, result } = await client.jobs.wait(id);
  expect([state, result]).toEqual([
    "completed",
    {
      results: [
        ["x", "completed", 10],
        ["y", "completed", 20],
      ],
      ref: "root",
      attempt: 1,
    },
  ]);
  expect([runs, [...lost].sort()]).toEqual([2, [...LOST].sort()]);
  const jobs = await all(client.flows.jobs("1"));
  expect(jobs.map(({ ref }) => ref)).toEqual(["root", "x", "y"]);
});

test("a handler that waits for a job that is not there fails", async () => {
  const parent = defineJob("parent", { handler: ({ flow }) => flow.wait(["nobody"]) });
  const { client, worker } = await setUp([parent]);
  const { id } = await client.enqueue({ name: "parent", maxAttempts: 1 });
  await worker.start();
  const { state } = await client.jobs.wait(id);
  expect(state).toBe("dead");
  expect((await client.jobs.get(id)).lastError?.message).toContain("nobody");
});

test("the client makes flows, looks at them and changes them", async () => {
  const { client } = await setUp([defineJob("a", { handler: () => undefined })]);
  const runAt = Date.parse("2096-01-01T00:00:00Z");
  const request = {
    name: "f",
    idempotencyKey: "k",
    jobs: [
      { ref: "x", name: "a", runAt },
      { ref: "y", name: "a", dependsOn: ["x"] },
    ],
  };
  const flow = await client.flows.create(request);
  expect((await client.flows.create(request)).deduplicated).toBe(true);
  const [x, y] = await all(client.flows.jobs(flow.id));
  expect([x?.state, x?.runAt, y?.state]).toEqual(["scheduled", "2096-01-01T00:00:00.000Z", "blocked"]);
  expect(await all(client.jobs.dependencies(y?.id ?? ""))).toMatchObject([{ ref: "x" }]);
  expect(await all(client.jobs.dependants(x?.id ?? ""))).toMatchObject([{ ref: "y" }]);
  expect(await client.flows.cancel(flow.id)).toMatchObject({ changed: 2, flow: { state: "cancelled" } });
  expect((await client.flows.get(flow.id)).states).toMatchObject({ cancelled: 2 });
  expect(await client.flows.retry(flow.id)).toMatchObject({ changed: 2, flow: { state: "running" } });
  expect(await all(client.flows.list({ name: "f" }))).toMatchObject([{ id: flow.id }]);
});
