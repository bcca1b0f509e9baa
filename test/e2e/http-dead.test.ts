import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { DeadGroupListView } from "../../src/api/dead.js";
import { ExplanationView } from "../../src/api/explanation.js";
import { JobDetailView } from "../../src/api/job.js";
import { JobCountView, JobPageView } from "../../src/api/job-list.js";
import { OperationView } from "../../src/api/operation.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

/** Makes jobs of a queue dead, each of its message. @returns their ids */
async function die(server: HttpServer, queue: string, messages: readonly string[]): Promise<string[]> {
  const jobs = messages.map(() => ({ queue, name: "send" }));
  await server.post("/v1/jobs/batch", { jobs });
  const request = { workerId: "w", queues: [queue], max: messages.length };
  const claimed = (await server.post("/v1/claim", request)).as(ClaimView).jobs;
  for (const [index, { id, leaseToken }] of claimed.entries()) {
    const error = { type: "SmtpError", message: messages[index] };
    await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error, retry: "never" });
  }
  return claimed.map(({ id }) => id);
}

async function groups(server: HttpServer, query = "", token?: string) {
  const answer = await server.get(`/v1/dead/groups${query}`, token === undefined ? {} : { token });
  return answer.as(DeadGroupListView);
}

describe("GET /v1/dead/groups", () => {
  test("groups dead jobs by what they died of, and the filter finds, counts and retries one group", async () => {
    const server = await startHttpServer();
    const refused = await die(server, "mail", [
      "connect 10.0.0.1:25 refused",
      "connect 10.0.0.2:2525 refused",
      "no mailbox",
    ]);
    const { items, more } = await groups(server);
    expect(more).toBe(false);
    const [first, second] = items;
    expect(first).toMatchObject({
      queue: "mail",
      name: "send",
      type: "SmtpError",
      message: "connect <ip>:<n> refused",
      count: 2,
      latestJobId: refused[1],
    });
    expect(Date.parse(first!.firstAt)).toBeLessThanOrEqual(Date.parse(first!.lastAt));
    expect(second).toMatchObject({ message: "no mailbox", count: 1 });

    const q = `state:dead fingerprint:${first!.fingerprint} queue:mail name:send`;
    const page = (await server.get(`/v1/jobs?q=${encodeURIComponent(q)}`)).as(JobPageView);
    expect(page.items.map(({ id }) => id).toSorted()).toEqual(refused.slice(0, 2).toSorted());
    expect(page.scan).toBeNull();
    const count = (await server.get(`/v1/jobs/count?q=${encodeURIComponent(q)}`)).as(JobCountView);
    expect(count).toEqual({ count: 2, capped: false, scan: null });

    const detail = (await server.get(`/v1/jobs/${refused[0]!}`)).as(JobDetailView);
    expect(detail.lastError).toMatchObject({
      message: "connect 10.0.0.1:25 refused",
      fingerprint: first!.fingerprint,
    });

    const preview = await server.post("/v1/jobs/bulk/preview", { action: "retry", q });
    expect(preview.body).toMatchObject({ matched: 2 });
    const { previewToken } = preview.body;
    const started = await server.post("/v1/jobs/bulk", { previewToken });
    const { id } = started.as(OperationView);
    await server.store.operations.step(id);
    expect((await groups(server)).items).toMatchObject([{ message: "no mailbox" }]);
    const revived = (await server.get(`/v1/jobs/${refused[0]!}`)).as(JobDetailView);
    expect(revived).toMatchObject({ state: "pending", lastError: { fingerprint: null } });
  });

  test("has an order, a limit, and says when there is more", async () => {
    const server = await startHttpServer();
    await die(server, "mail", ["a", "a", "b"]);
    await die(server, "image", ["c"]);
    const messages = async (query: string) => {
      const { items, more } = await groups(server, query);
      return [...items.map(({ message }) => message), more];
    };
    expect(await messages("?limit=1")).toEqual(["a", true]);
    expect(await messages("?limit=3")).toEqual(["a", "c", "b", false]);
    expect(await messages("?sort=latest&limit=1")).toEqual(["c", true]);
    expect(await messages("?queue=mail&sort=count")).toEqual(["a", "b", false]);
    expect(await messages("?name=resize")).toEqual([false]);
  });

  test.each(["limit=0", "limit=501", "sort=age", "queue=a/b", "state=dead"])("refuses %s", async (query) => {
    const server = await startHttpServer();
    const answer = await server.get(`/v1/dead/groups?${query}`);
    expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
  });

  test("a token of some queues learns nothing of others", async () => {
    const server = await startHttpServer();
    await die(server, "mail", ["a"]);
    const [hidden] = await die(server, "secret", ["a", "b"]);
    const { token } = await issueToken(server, ["read-only"], { queues: ["mail*"] });
    expect((await groups(server, "", token)).items).toMatchObject([{ queue: "mail", count: 1 }]);
    expect(await groups(server, "?queue=secret", token)).toEqual({ items: [], more: false });
    const answer = await server.get(`/v1/jobs/${hidden!}/explain`, { token });
    const missing = await server.get("/v1/jobs/9999/explain", { token });
    expect([answer.status, answer.body["code"]]).toEqual([404, "job_not_found"]);
    expect(answer.body["detail"]).toBe(String(missing.body["detail"]).replace("9999", hidden!));
  });
});

describe("GET /v1/jobs/{id}/explain", () => {
  const explain = async (server: HttpServer, id: unknown) =>
    (await server.get(`/v1/jobs/${String(id)}/explain`)).as(ExplanationView);

  test("says why a job does not run, that it runs, and how it ended", async () => {
    const server = await startHttpServer();
    const { id } = (await server.post("/v1/jobs", { queue: "mail", name: "send" })).body;
    expect(await explain(server, id)).toMatchObject({ state: "pending", reason: "no_worker" });

    await server.post("/v1/queues/mail/pause", { reason: "deploy" });
    const paused = await explain(server, id);
    expect(paused).toMatchObject({ reason: "queue_paused", facts: { pauseReason: "deploy" } });
    expect(paused.detail).toMatch(/^The queue mail is paused since .*: deploy\.$/);
    await server.post("/v1/queues/mail/resume");

    const request = { workerId: "w", queues: ["mail"], max: 1, leaseMs: 60_000 };
    const { jobs } = (await server.post("/v1/claim", request)).as(ClaimView);
    const running = await explain(server, id);
    expect(running).toMatchObject({ state: "running", reason: "running", facts: { workerId: "w" } });

    const next = (await server.post("/v1/jobs", { queue: "mail", name: "send" })).body;
    expect(await explain(server, next["id"])).toMatchObject({
      reason: "waiting_turn",
      facts: { ahead: 0, capped: false, workers: 1, slots: 1 },
    });

    const { leaseToken } = jobs[0]!;
    await server.post(`/v1/jobs/${String(id)}/complete`, { leaseToken });
    expect(await explain(server, id)).toMatchObject({ state: "completed", reason: "finished" });

    const later = (await server.post("/v1/jobs", { name: "send", delayMs: 60_000 })).body;
    expect(await explain(server, later["id"])).toMatchObject({
      reason: "scheduled",
      facts: { until: later["runAt"], cause: "first_run", attempt: 0 },
    });
  });

  test("404 for a job that is not there", async () => {
    const answer = await (await startHttpServer()).get("/v1/jobs/17/explain");
    expect([answer.status, answer.body["code"]]).toEqual([404, "job_not_found"]);
  });
});
