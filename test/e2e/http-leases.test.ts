import { describe, expect, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { JobDetailView } from "../../src/api/job.js";
import { AckView, CompletedView, FailedView, HeartbeatView, SettledView } from "../../src/api/lease.js";
import { Problem } from "../../src/api/problem.js";
import { reap } from "../../src/engine/loops/reaper.js";
import { EventLog } from "../support/event-log.js";
import { startHttpServer, type Answer, type HttpServer } from "../support/http-server.js";

interface Lease {
  readonly id: string;
  readonly leaseToken: string;
  readonly token: number;
}

async function claim(server: HttpServer, leaseMs = 30_000): Promise<Lease> {
  const answer = await server.post("/v1/claim", { workerId: "w", queues: ["default"], leaseMs });
  const [job] = answer.as(ClaimView).jobs;
  return job!;
}

async function started(server: HttpServer, job: object = {}): Promise<Lease> {
  expect((await server.post("/v1/jobs", { name: "a", ...job })).status).toBe(201);
  return claim(server);
}

/** Everything that a worker can say about a claim. */
const CALLS = {
  complete: { result: "late" },
  fail: { error: { message: "late" } },
  release: {},
  snooze: { delayMs: 1_000 },
  progress: { percent: 99, message: "late" },
  logs: { lines: [{ message: "late" }] },
  steps: { name: "late", result: "late" },
  "steps/find": { name: "late" },
};

function call(
  server: HttpServer,
  verb: keyof typeof CALLS,
  { id, leaseToken }: Pick<Lease, "id" | "leaseToken">,
) {
  return server.post(`/v1/jobs/${id}/${verb}`, { leaseToken, ...CALLS[verb] });
}

async function detail(server: HttpServer, id = "1"): Promise<JobDetailView> {
  return (await server.get(`/v1/jobs/${id}`)).as(JobDetailView);
}

async function beat(server: HttpServer, leases: readonly object[], more: object = {}): Promise<Answer> {
  return server.post("/v1/heartbeat", { workerId: "w", leases, ...more });
}

describe("complete", () => {
  test("ends the job with its result, and again with the same answer", async () => {
    const server = await startHttpServer();
    const events = new EventLog(server.context.events);
    const lease = await started(server);
    const body = { leaseToken: lease.leaseToken, result: { ok: [true, null] } };
    for (let times = 0; times < 3; times += 1) {
      const answer = await server.post("/v1/jobs/1/complete", body);
      expect([answer.status, answer.as(CompletedView)]).toEqual([
        200,
        { state: "completed", resultProblem: null },
      ]);
    }
    expect((await server.get("/v1/jobs/1/result")).text).toBe('{"ok":[true,null]}');
    expect(events.about("1")).toEqual(["job.completed"]);
    expect(events.of("job.completed")).toMatchObject([{ workerId: "w", attempt: 1, name: "a" }]);
  });

  test("needs no result", async () => {
    const server = await startHttpServer();
    const { leaseToken } = await started(server);
    expect((await server.post("/v1/jobs/1/complete", { leaseToken })).status).toBe(200);
    expect((await server.get("/v1/jobs/1/result")).status).toBe(404);
  });
});

describe("fail", () => {
  test("puts the job back by its backoff", async () => {
    const server = await startHttpServer();
    const { leaseToken } = await started(server, { backoff: { type: "fixed", delayMs: 60_000 } });
    const error = { type: "TypeError", message: "no", stack: "at x" };
    const answer = await server.post("/v1/jobs/1/fail", { leaseToken, error });
    const failed = answer.as(FailedView);
    expect([answer.status, failed]).toMatchObject([200, { state: "scheduled", attempt: 1 }]);
    expect(await detail(server)).toMatchObject({ state: "scheduled", runAt: failed.runAt, lastError: error });
    expect((await server.get("/v1/jobs/1/attempts")).body["items"]).toMatchObject([{ retryDelayMs: 60_000 }]);
    const again = await server.post("/v1/jobs/1/fail", { leaseToken, error });
    expect([again.status, again.json]).toEqual([200, failed]);
  });

  test("goes by the worker's wish while the budget lasts", async () => {
    const server = await startHttpServer();
    let lease = await started(server, { maxAttempts: 2 });
    const fail = async (retry: unknown): Promise<unknown> =>
      (await server.post("/v1/jobs/1/fail", { leaseToken: lease.leaseToken, error: { message: "x" }, retry }))
        .json;
    expect(await fail({ delayMs: 0 })).toMatchObject({ state: "pending", attempt: 1 });
    lease = await claim(server);
    expect(await fail({ delayMs: 0 })).toMatchObject({ state: "dead", attempt: 2 });
    expect(await fail("auto")).toMatchObject({ state: "dead", attempt: 2 });
  });

  test("ends the job for good when that is the wish", async () => {
    const server = await startHttpServer();
    const events = new EventLog(server.context.events);
    const { leaseToken } = await started(server);
    const answer = await server.post("/v1/jobs/1/fail", {
      leaseToken,
      error: { message: "x" },
      retry: "never",
    });
    expect(answer.as(FailedView)).toMatchObject({ state: "dead", attempt: 1 });
    expect(events.about("1")).toEqual(["job.dead"]);
  });

  test("said again after the next claim is still the same, and does not touch that", async () => {
    const server = await startHttpServer();
    const first = await started(server);
    const body = { leaseToken: first.leaseToken, error: { message: "x" }, retry: { delayMs: 0 } };
    await server.post("/v1/jobs/1/fail", body);
    await claim(server);
    const before = await detail(server);
    const again = await server.post("/v1/jobs/1/fail", body);
    expect([again.status, again.body["attempt"]]).toEqual([200, 1]);
    expect(await detail(server)).toEqual(before);
  });

  test("takes errors of any length and letters", async () => {
    const server = await startHttpServer();
    const { leaseToken } = await started(server);
    const error = { type: "", message: "", stack: `\0\ud800${"x".repeat(500_000)}` };
    const answer = await server.post("/v1/jobs/1/fail", { leaseToken, error });
    expect(answer.status).toBe(200);
    const { lastError } = await detail(server);
    expect(lastError).toMatchObject({ type: "Error", message: "An error without a message" });
    expect(lastError?.stack?.startsWith("\ufffd\ufffdx")).toBe(true);
    expect(lastError?.stack?.length).toBeLessThan(10_000);
  });

  test.each([
    [{ error: undefined }, "/error", "required"],
    [{ error: "x" }, "/error", "wrong_type"],
    [{ error: {} }, "/error/message", "required"],
    [{ error: { message: 5 } }, "/error/message", "wrong_type"],
    [{ error: { message: "x", cause: 1 } }, "/error/cause", "unknown_field"],
    [{ retry: "later" }, "/retry", "unknown_value"],
    [{ retry: { delayMs: -1 } }, "/retry/delayMs", "out_of_range"],
    [{ retry: null }, "/retry", "unknown_value"],
    [{ leaseToken: 5 }, "/leaseToken", "wrong_type"],
    [{ leaseToken: undefined }, "/leaseToken", "required"],
  ])("refuses %j", async (change, pointer, code) => {
    const server = await startHttpServer();
    const { leaseToken } = await started(server);
    const answer = await server.post("/v1/jobs/1/fail", { leaseToken, error: { message: "x" }, ...change });
    expect(answer.status).toBe(422);
    expect(answer.as(Problem).errors).toEqual([expect.objectContaining({ pointer, code })]);
    expect((await detail(server)).state).toBe("running");
  });
});

describe("release and snooze", () => {
  test("give the attempt back", async () => {
    const server = await startHttpServer();
    const events = new EventLog(server.context.events);
    let { leaseToken } = await started(server);
    const released = await server.post("/v1/jobs/1/release", { leaseToken });
    expect(released.as(SettledView).state).toBe("pending");
    expect((await server.post("/v1/jobs/1/release", { leaseToken })).json).toEqual(released.json);
    expect(await detail(server)).toMatchObject({ state: "pending", attempt: 0 });

    ({ leaseToken } = await claim(server));
    const snoozed = await server.post("/v1/jobs/1/snooze", { leaseToken, delayMs: 60_000 });
    expect(snoozed.as(SettledView).state).toBe("scheduled");
    expect((await server.post("/v1/jobs/1/snooze", { leaseToken, delayMs: 60_000 })).json).toEqual(
      snoozed.json,
    );
    expect(await detail(server)).toMatchObject({ state: "scheduled", attempt: 0, lastError: null });
    expect(events.about("1")).toEqual(["job.released", "job.snoozed"]);
  });

  test.each(["-1", "1.5", '"5"', "null", "true", "[5]", "{}", "1e300"])(
    "snooze refuses %s as delay",
    async (delayMs) => {
      const server = await startHttpServer();
      const { leaseToken } = await started(server);
      const raw = `{"leaseToken":"${leaseToken}","delayMs":${delayMs}}`;
      const answer = await server.send("POST", "/v1/jobs/1/snooze", { raw });
      expect(answer.as(Problem).errors).toEqual([
        expect.objectContaining({ pointer: "/delayMs", code: "out_of_range" }),
      ]);
    },
  );
});

describe("progress and logs", () => {
  test("are kept, and cut where they are too long", async () => {
    const server = await startHttpServer();
    const { leaseToken } = await started(server);
    const progress = await server.post("/v1/jobs/1/progress", {
      leaseToken,
      percent: 12.5,
      message: "x".repeat(9_999),
    });
    expect([progress.status, progress.text]).toEqual([204, ""]);
    const logs = await server.post("/v1/jobs/1/logs", {
      leaseToken,
      lines: [{ level: "error", message: `\ud800${"x".repeat(9_999)}` }, { message: "" }],
    });
    expect([logs.status, logs.text]).toEqual([204, ""]);
    const job = await detail(server);
    expect(job.progress?.percent).toBe(12.5);
    expect(job.progress?.message).toHaveLength(500);
    const { items } = (await server.get("/v1/jobs/1/logs")).body as { items: { message: string }[] };
    expect(items.map(({ message }) => message.length)).toEqual([2_000, 0]);
  });

  test.each([
    ["progress", { percent: 101 }, "/percent", "out_of_range"],
    ["progress", { percent: -0.1 }, "/percent", "out_of_range"],
    ["progress", { percent: "50" }, "/percent", "out_of_range"],
    ["progress", { percent: null }, "/percent", "out_of_range"],
    ["progress", {}, "/percent", "required"],
    ["logs", {}, "/lines", "required"],
    ["logs", { lines: "x" }, "/lines", "wrong_type"],
    ["logs", { lines: [{ level: "fatal", message: "x" }] }, "/lines/0/level", "unknown_value"],
    ["logs", { lines: [{ message: "x", at: 5 }] }, "/lines/0/at", "unknown_field"],
    ["logs", { lines: Array.from({ length: 501 }, () => ({ message: "x" })) }, "/lines", "out_of_range"],
  ])("%s refuses %j", async (verb, body, pointer, code) => {
    const server = await startHttpServer();
    const { leaseToken } = await started(server);
    const answer = await server.post(`/v1/jobs/1/${verb}`, { leaseToken, ...body });
    expect(answer.as(Problem).errors).toEqual([expect.objectContaining({ pointer, code })]);
  });

  test("of one job have a limit, and say when it is reached", async () => {
    const server = await startHttpServer();
    const { leaseToken } = await started(server);
    const lines = Array.from({ length: 500 }, () => ({ message: "x" }));
    for (let times = 0; times < 3; times += 1) {
      expect((await server.post("/v1/jobs/1/logs", { leaseToken, lines })).status).toBe(204);
    }
    const { items } = (await server.get("/v1/jobs/1/logs?limit=1000")).body as {
      items: { message: string }[];
    };
    expect(items).toHaveLength(1_000);
    expect(items.at(-1)?.message).toContain("full");
  });
});

describe("a heartbeat", () => {
  test("extends each lease for itself", async () => {
    const server = await startHttpServer();
    const first = await started(server);
    const second = await started(server);
    await server.post("/v1/jobs/2/cancel");
    const { results } = (
      await beat(
        server,
        [
          { id: first.id, leaseToken: first.leaseToken },
          { id: second.id, leaseToken: second.leaseToken },
          { id: "2", leaseToken: first.leaseToken },
          { id: "99", leaseToken: "lt_1_x" },
        ],
        { leaseMs: 3_600_000 },
      )
    ).as(HeartbeatView);
    const { leaseExpiresAt } = await detail(server);
    expect(results).toEqual([
      { id: "1", ok: true, leaseExpiresAt },
      { id: "2", ok: false, reason: "cancelled" },
      { id: "2", ok: false, reason: "reclaimed" },
      { id: "99", ok: false, reason: "reclaimed" },
    ]);
    expect(Date.parse(leaseExpiresAt!) - server.store.now()).toBeGreaterThan(3_000_000);
  });

  test("may be empty", async () => {
    const server = await startHttpServer();
    expect((await beat(server, [])).json).toEqual({ results: [], heartbeatMs: 10_000, draining: false });
  });

  test.each([
    [{ leaseMs: 0 }, "/leaseMs", "out_of_range"],
    [{ leaseMs: "30000" }, "/leaseMs", "out_of_range"],
    [{ leaseMs: 1e12 }, "/leaseMs", "out_of_range"],
    [{ leases: [{ id: 1, leaseToken: "x" }] }, "/leases/0/id", "wrong_type"],
    [
      { leases: Array.from({ length: 1_001 }, () => ({ id: "1", leaseToken: "x" })) },
      "/leases",
      "out_of_range",
    ],
    [{ workerId: undefined }, "/workerId", "required"],
  ])("refuses %j", async (change, pointer, code) => {
    const server = await startHttpServer();
    const answer = await beat(server, [], change);
    expect(answer.as(Problem).errors).toEqual([expect.objectContaining({ pointer, code })]);
  });
});

describe("an ack", () => {
  /** Claims so many jobs with one request. */
  async function claimMany(server: HttpServer, count: number): Promise<readonly Lease[]> {
    await server.post("/v1/jobs/batch", { jobs: Array.from({ length: count }, () => ({ name: "a" })) });
    const answer = await server.post("/v1/claim", { workerId: "w", queues: ["default"], max: count });
    return answer.as(ClaimView).jobs;
  }

  const ack = (server: HttpServer, results: readonly object[]): Promise<Answer> =>
    server.post("/v1/ack", { results });

  test("ends each claim in its own way, and again with the same answer", async () => {
    const server = await startHttpServer();
    const events = new EventLog(server.context.events);
    const [done, failed, dead, released, snoozed] = (await claimMany(server, 5)).map(
      ({ id, leaseToken }) => ({ id, leaseToken }),
    );
    const results = [
      { ...done, outcome: "completed", result: { ok: 1 } },
      { ...failed, outcome: "failed", error: { message: "x" }, retry: { delayMs: 60_000 } },
      { ...dead, outcome: "failed", error: { type: "E", message: "y" }, retry: "never" },
      { ...released, outcome: "released" },
      { ...snoozed, outcome: "snoozed", delayMs: 60_000 },
    ];
    const first = (await ack(server, results)).as(AckView);
    expect(first.results).toMatchObject([
      { id: "1", ok: true, state: "completed", resultProblem: null },
      { id: "2", ok: true, state: "scheduled" },
      { id: "3", ok: true, state: "dead" },
      { id: "4", ok: true, state: "pending" },
      { id: "5", ok: true, state: "scheduled" },
    ]);
    expect((await ack(server, results)).as(AckView)).toEqual(first);
    expect(events.names).toEqual([
      "job.completed",
      "job.retrying",
      "job.dead",
      "job.released",
      "job.snoozed",
    ]);
    expect((await server.get("/v1/jobs/1/result")).text).toBe('{"ok":1}');
    expect(await detail(server, "3")).toMatchObject({ lastError: { type: "E", message: "y" } });
    expect(await detail(server, "4")).toMatchObject({ attempt: 0 });
  });

  test("WRK-16 with one lost lease of 500 ends the other 499, in one transaction", async () => {
    const server = await startHttpServer();
    const leases = await claimMany(server, 500);
    await server.post("/v1/jobs/250/cancel");
    const settle = vi.spyOn(server.store.claims, "settle");
    const results = leases.map(({ id, leaseToken }) => ({ id, leaseToken, outcome: "completed" }));
    const answer = (await ack(server, results)).as(AckView);
    expect(answer.results.filter(({ ok }) => ok)).toHaveLength(499);
    expect(answer.results[249]).toMatchObject({
      id: "250",
      ok: false,
      code: "lease_lost",
      reason: "cancelled",
      detail: expect.stringContaining("cancelled") as string,
    });
    expect(settle).toHaveBeenCalledTimes(1);
    expect((await server.get("/v1/queues/default")).body).toMatchObject({
      counts: { completed: 499, cancelled: 1, running: 0 },
    });
  });

  test("refuses stale and made-up tokens in their places, and leaves the present claim alone", async () => {
    const server = await startHttpServer();
    const stale = await started(server);
    await server.post("/v1/jobs/1/release", { leaseToken: stale.leaseToken });
    const present = await claim(server);
    for (const outcome of [
      { outcome: "completed" },
      { outcome: "failed", error: { message: "x" } },
      { outcome: "released" },
      { outcome: "snoozed", delayMs: 0 },
    ]) {
      const answer = await ack(server, [
        { id: "1", leaseToken: stale.leaseToken, ...outcome },
        { id: "1", leaseToken: "lt_1_made-up", ...outcome },
        { id: "77", leaseToken: present.leaseToken, ...outcome },
      ]);
      expect(answer.as(AckView).results.map(({ ok }) => ok)).toEqual([false, false, false]);
    }
    expect(await detail(server)).toMatchObject({ state: "running", token: present.token });
  });

  test("keeps the results that it can, and says which it cannot", async () => {
    const server = await startHttpServer();
    const leases = await claimMany(server, 3);
    const items = leases.map(({ id, leaseToken }, index) => {
      const result = ["1", "9007199254740993", '"9007199254740993"'][index]!;
      return `{"id":"${id}","leaseToken":"${leaseToken}","outcome":"completed","result":${result}}`;
    });
    const answer = await server.send("POST", "/v1/ack", { raw: `{"results":[${items.join()}]}` });
    const problems = answer.as(AckView).results.map((item) => item.ok && item.resultProblem);
    expect(problems).toEqual([null, expect.stringContaining("9007199254740993"), null]);
  });

  test("keeps what can be kept beside a result that no other body may have", async () => {
    const server = await startHttpServer();
    const leases = await claimMany(server, 4);
    const results = ["1", `${"[".repeat(20_000)}${"]".repeat(20_000)}`, `[${"{},".repeat(120_000)}1]`, "[2]"];
    const items = leases.map(
      ({ id, leaseToken }, index) =>
        `{"id":"${id}","leaseToken":"${leaseToken}","outcome":"completed","result":${results[index]!}}`,
    );
    const answer = await server.send("POST", "/v1/ack", { raw: `{"results":[${items.join()}]}` });
    const problems = answer.as(AckView).results.map((item) => item.ok && item.resultProblem);
    expect(problems).toEqual([
      null,
      expect.stringContaining("deeper"),
      expect.stringContaining("too many"),
      null,
    ]);
    expect((await server.get("/v1/jobs/1/result")).text).toBe("1");
    expect((await server.get("/v1/jobs/4/result")).text).toBe("[2]");
    expect((await server.get("/v1/jobs/2")).body).toMatchObject({
      state: "completed",
      resultProblem: expect.stringContaining("deeper") as string,
    });
  });

  test("keeps why a worker sent no result", async () => {
    const server = await startHttpServer();
    const [first, second] = (await claimMany(server, 2)).map(({ id, leaseToken }) => ({ id, leaseToken }));
    const said = { outcome: "completed", resultProblem: "$ is a BigInt" };
    const answer = await ack(server, [
      { ...first, outcome: said.outcome, resultProblem: said.resultProblem },
    ]);
    expect(answer.as(AckView).results).toMatchObject([{ ok: true, resultProblem: said.resultProblem }]);
    const single = await server.post(`/v1/jobs/${second!.id}/complete`, {
      leaseToken: second!.leaseToken,
      resultProblem: "",
    });
    expect(single.body).toEqual({ state: "completed", resultProblem: "The worker did not say why." });
    expect((await server.get("/v1/jobs/1")).body).toMatchObject({ resultProblem: said.resultProblem });
  });

  test("refuses fields that do not belong to the outcome, and lacks none that do", async () => {
    const server = await startHttpServer();
    const { id, leaseToken } = await started(server);
    const answer = await ack(server, [
      { id, leaseToken, outcome: "failed", result: 1 },
      { id, leaseToken, outcome: "snoozed", retry: "auto" },
      { id, leaseToken, outcome: "completed", error: { message: "x" } },
    ]);
    expect(answer.status).toBe(422);
    expect(answer.as(Problem).errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      "/results/0/result conflict",
      "/results/0/error required",
      "/results/1/retry conflict",
      "/results/1/delayMs required",
      "/results/2/error conflict",
    ]);
    const many = Array.from({ length: 501 }, () => ({ id, leaseToken, outcome: "completed" }));
    expect((await ack(server, many)).as(Problem).errors).toMatchObject([{ pointer: "/results" }]);
    expect((await detail(server)).state).toBe("running");
  });

  test("may be empty", async () => {
    const server = await startHttpServer();
    expect((await ack(server, [])).json).toEqual({ results: [] });
  });
});

describe("a stale lease token", () => {
  const verbs = Object.keys(CALLS) as (keyof typeof CALLS)[];

  /** Says everything with this token: all of it is refused and nothing changes. */
  async function changesNothing(server: HttpServer, stale: Pick<Lease, "id" | "leaseToken">): Promise<void> {
    const watched = ["", "/attempts", "/logs", "/steps"].map((path) => `/v1/jobs/${stale.id}${path}`);
    const look = async (): Promise<string[]> =>
      Promise.all([...watched, "/v1/queues"].map(async (path) => (await server.get(path)).text));
    const before = await look();
    for (const verb of verbs) {
      const answer = await call(server, verb, stale);
      expect([answer.status, answer.as(Problem).code], verb).toEqual([409, "lease_lost"]);
    }
    const { results } = (await beat(server, [stale])).as(HeartbeatView);
    expect(results).toMatchObject([{ id: stale.id, ok: false }]);
    expect(await look()).toEqual(before);
  }

  test("of a claim that was taken over changes nothing, and the new one wins", async () => {
    const server = await startHttpServer();
    const events = new EventLog(server.context.events);
    const stale = await started(server, { backoff: { type: "fixed", delayMs: 0 } });
    // Its worker is silent for too long.
    await server.store.claims.extend([stale], -1);
    expect(await reap(server.context)).toBe(1);
    const current = await claim(server);
    expect(current.token).toBeGreaterThan(stale.token);
    await changesNothing(server, { id: stale.id, leaseToken: stale.leaseToken });
    await server.post("/v1/jobs/1/complete", { leaseToken: current.leaseToken, result: "B" });
    await changesNothing(server, { id: stale.id, leaseToken: stale.leaseToken });
    expect((await server.get("/v1/jobs/1/result")).text).toBe('"B"');
    expect((await detail(server)).attempt).toBe(2);
    expect(events.about("1")).toEqual(["job.lost", "job.completed"]);
  });

  test("of a cancelled, released or dead job changes nothing", async () => {
    const server = await startHttpServer();
    const cancelled = await started(server);
    await server.post("/v1/jobs/1/cancel");
    await changesNothing(server, { id: "1", leaseToken: cancelled.leaseToken });

    const released = await started(server);
    await server.post("/v1/jobs/2/release", { leaseToken: released.leaseToken });
    await claim(server);
    await changesNothing(server, { id: "2", leaseToken: released.leaseToken });
  });

  test("of a deleted job brings nothing back", async () => {
    const server = await startHttpServer();
    const { id, leaseToken } = await started(server, { idempotencyKey: "k" });
    await server.send("DELETE", `/v1/jobs/${id}?force=true`);
    for (const verb of verbs) {
      expect((await call(server, verb, { id, leaseToken })).as(Problem).code, verb).toBe("lease_lost");
    }
    expect((await server.get("/v1/jobs")).body["items"]).toEqual([]);
    expect((await server.post("/v1/jobs", { name: "a", idempotencyKey: "k" })).status).toBe(201);
  });

  test("of another job, database or imagination is worth nothing", async () => {
    const server = await startHttpServer();
    const elsewhere = await startHttpServer();
    const mine = await started(server);
    const other = await started(server);
    const foreign = await started(elsewhere);
    expect(foreign.token).toBe(mine.token);
    const forged = [
      other.leaseToken,
      foreign.leaseToken,
      mine.leaseToken.replace(/^lt_\d+/, `lt_${mine.token + 1}`),
      mine.leaseToken.slice(0, -1),
      `lt_${mine.token}_${"A".repeat(22)}`,
      String(mine.token),
      "",
    ];
    for (const leaseToken of forged) await changesNothing(server, { id: mine.id, leaseToken });
    expect((await call(server, "progress", mine)).status).toBe(204);
  });

  test("is accepted by every server on the same database", async () => {
    const one = await startHttpServer();
    const two = await startHttpServer({ database: one.database });
    const { leaseToken } = await started(one);
    expect((await two.post("/v1/jobs/1/complete", { leaseToken })).status).toBe(200);
  });
});

describe("a result that is not UTF-8", () => {
  test.each([
    ["a byte that UTF-8 never has", [0x22, 0xff, 0x22]],
    ["a lone surrogate, raw", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["half a letter, deep inside", [...Buffer.from('{"a":["'), 0xd0, ...Buffer.from('"]}')]],
  ])("is not kept, and its job completes: %s", async (_what, bytes) => {
    const server = await startHttpServer();
    await server.post("/v1/jobs/batch", { jobs: [{ name: "a" }, { name: "a" }, { name: "a" }] });
    const claimed = await server.post("/v1/claim", { workerId: "w", queues: ["default"], max: 3 });
    const [first, second, third] = claimed.as(ClaimView).jobs;
    const result = Buffer.from(bytes).toString("latin1");
    const said = (text: string) => ({ raw: Buffer.from(text, "latin1") });
    const single = `{"leaseToken":"${first!.leaseToken}","result":${result}}`;
    const problem = "The result is not valid UTF-8.";
    const answer = await server.send("POST", `/v1/jobs/${first!.id}/complete`, said(single));
    expect(answer.body).toEqual({ state: "completed", resultProblem: problem });
    const items = [
      `{"id":"${second!.id}","leaseToken":"${second!.leaseToken}","outcome":"completed","result":${result}}`,
      `{"id":"${third!.id}","leaseToken":"${third!.leaseToken}","outcome":"completed","result":"${Buffer.from("я🙂").toString("latin1")}"}`,
    ];
    const acked = await server.send("POST", "/v1/ack", said(`{"results":[${items.join(",")}]}`));
    expect(acked.body["results"]).toMatchObject([
      { ok: true, state: "completed", resultProblem: problem },
      { ok: true, state: "completed", resultProblem: null },
    ]);
    expect(await server.store.jobs.result(third!.id)).toBe('"я🙂"');
  });

  test("does not excuse the rest of the body", async () => {
    const server = await startHttpServer();
    const body = Buffer.from('{"leaseToken":"\xff","result":"\xff"}', "latin1");
    const answer = await server.send("POST", "/v1/jobs/1/complete", { raw: body });
    expect([answer.status, answer.body["code"]]).toEqual([400, "malformed_json"]);
  });
});
