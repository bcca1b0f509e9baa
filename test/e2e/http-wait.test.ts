import { describe, expect, test, vi } from "vitest";
import { WaitView } from "../../src/api/event.js";
import { ClaimView } from "../../src/api/claim.js";
import type { JobView } from "../../src/api/job.js";
import { startHttpServer, type Answer, type HttpServer } from "../support/http-server.js";
import { eventually } from "../support/server-process.js";

async function enqueue(server: HttpServer): Promise<string> {
  return ((await server.post("/v1/jobs", { name: "work" })).json as JobView).id;
}

/** Longer than a test may take, so that no answer comes only because the time is over. */
function wait(server: HttpServer, id: string, timeoutMs = 60_000): Promise<Answer> {
  return server.get(`/v1/jobs/${id}/wait?timeoutMs=${timeoutMs}`);
}

/** Resolves when as many requests as this wait on the server for a job. */
async function waiting(server: HttpServer, count = 1): Promise<void> {
  await eventually(
    () => Promise.resolve(detailsOf(server).mock.calls.length),
    (calls) => calls >= 2 * count,
  );
}

const spies = new WeakMap<HttpServer, ReturnType<typeof spyOnDetail>>();

function spyOnDetail(server: HttpServer) {
  return vi.spyOn(server.store.jobs, "detail");
}

function detailsOf(server: HttpServer) {
  let spy = spies.get(server);
  if (spy === undefined) spies.set(server, (spy = spyOnDetail(server)));
  return spy;
}

async function run(server: HttpServer, result: string): Promise<void> {
  const { jobs } = (await server.post("/v1/claim", { workerId: "w", queues: ["default"] })).as(ClaimView);
  const { id, leaseToken } = jobs[0]!;
  const raw = `{"leaseToken":${JSON.stringify(leaseToken)},"result":${result}}`;
  const answer = await server.send("POST", `/v1/jobs/${id}/complete`, { raw });
  expect(answer.status).toBe(200);
}

describe("GET /v1/jobs/{id}/wait", () => {
  test("answers when the job has finished, with the result as it is stored", async () => {
    const server = await startHttpServer();
    detailsOf(server);
    const id = await enqueue(server);
    const waits = wait(server, id);
    await waiting(server);
    await run(server, '{"2":1,"a":"\\u0000"}');
    const answer = await waits;
    expect(answer.as(WaitView)).toMatchObject({
      id,
      state: "completed",
      finished: true,
      result: { a: "\0" },
    });
    expect(answer.text).toContain('"result":{"2":1,"a":"\\u0000"}}');
    // Over already: at once, and the same.
    expect((await wait(server, id)).text).toBe(answer.text);
  });

  test("a job that another process finishes", async () => {
    const server = await startHttpServer();
    const other = await startHttpServer({ database: server.database });
    detailsOf(server);
    const id = await enqueue(other);
    const waits = wait(server, id);
    await waiting(server);
    await run(other, "7");
    expect((await waits).body).toMatchObject({ finished: true, result: 7 });
  });

  test("a job that is cancelled has finished, without a result", async () => {
    const server = await startHttpServer();
    detailsOf(server);
    const id = await enqueue(server);
    const waits = wait(server, id);
    await waiting(server);
    await server.post(`/v1/jobs/${id}/cancel`);
    expect((await waits).as(WaitView)).toMatchObject({ state: "cancelled", finished: true, result: null });
  });

  test("answers with the job as it is when the time is over", async () => {
    const server = await startHttpServer();
    const id = await enqueue(server);
    for (const timeoutMs of [0, 5]) {
      const answer = await wait(server, id, timeoutMs);
      expect(answer.as(WaitView)).toMatchObject({ state: "pending", finished: false, result: null });
    }
    expect((await wait(server, id, 60_001)).status).toBe(422);
  });

  test("a job that is not there, or is deleted meanwhile", async () => {
    const server = await startHttpServer();
    expect((await wait(server, "77")).body["code"]).toBe("job_not_found");
    detailsOf(server);
    const id = await enqueue(server);
    const waits = wait(server, id);
    await waiting(server);
    await server.send("DELETE", `/v1/jobs/${id}`);
    expect((await waits).body["code"]).toBe("job_not_found");
  });

  test("at a stop all who wait are answered, and new ones at once", async () => {
    const server = await startHttpServer();
    detailsOf(server);
    const ids = await Promise.all([enqueue(server), enqueue(server)]);
    const waits = ids.map((id) => wait(server, id));
    await waiting(server, 2);
    server.server.drain();
    for (const answer of await Promise.all(waits)) expect(answer.body["finished"]).toBe(false);
    expect((await wait(server, ids[0])).body["finished"]).toBe(false);
  });

  test("200 who wait for jobs share one reading of the journal, and look only when their own has ended", async () => {
    const server = await startHttpServer();
    const pages = vi.spyOn(server.store.events, "after");
    const details = detailsOf(server);
    const jobs = Array.from({ length: 200 }, () => ({ name: "work" }));
    const { items: made } = (await server.post("/v1/jobs/batch", { jobs })).json as { items: JobView[] };
    const waits = made.map(({ id }) => wait(server, id));
    await waiting(server, 200);
    pages.mockClear();
    details.mockClear();
    await server.post(`/v1/jobs/${made[0]!.id}/cancel`);
    await waits[0];
    expect(details).toHaveBeenCalledTimes(1);
    expect(pages.mock.calls.length).toBeLessThanOrEqual(2);
    server.server.drain();
    await Promise.all(waits);
  });

  test("who hangs up is forgotten, and the journal is read no more", async () => {
    const server = await startHttpServer();
    detailsOf(server);
    const id = await enqueue(server);
    const leave = vi.spyOn(server.context.journal, "leave");
    const hangUp = new AbortController();
    const waits = server.get(`/v1/jobs/${id}/wait?timeoutMs=60000`, { signal: hangUp.signal });
    await waiting(server);
    hangUp.abort();
    await expect(waits).rejects.toThrow();
    await eventually(
      () => Promise.resolve(leave.mock.calls.length),
      (calls) => calls === 1,
    );
  });
});
