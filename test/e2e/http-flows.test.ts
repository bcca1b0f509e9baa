import { describe, expect, test } from "vitest";
import { ClaimView, type ClaimedJobView } from "../../src/api/claim.js";
import { ExplanationView } from "../../src/api/explanation.js";
import {
  CreatedFlowView,
  DependantPageView,
  DependencyPageView,
  FlowChangedView,
  FlowDetailView,
  FlowJobPageView,
  FlowPageView,
} from "../../src/api/flow.js";
import { JobDetailView } from "../../src/api/job.js";
import { JobPageView } from "../../src/api/job-list.js";
import { AckView, WaitForJobsView } from "../../src/api/lease.js";
import { Problem } from "../../src/api/problem.js";
import { startHttpServer, type Answer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

const ORDER = {
  name: "order",
  jobs: [
    { ref: "charge", name: "a", payload: { total: 12 } },
    { ref: "pack", name: "a", dependsOn: ["charge"] },
    { ref: "mail", name: "a", dependsOn: [{ ref: "pack", onFailure: "run" }, "charge"] },
  ],
};

async function created(server: HttpServer, json: unknown = ORDER): Promise<CreatedFlowView> {
  const answer = await server.post("/v1/flows", json);
  expect(answer.status).toBe(201);
  return answer.as(CreatedFlowView);
}

async function claim(server: HttpServer, max = 10): Promise<ClaimedJobView[]> {
  const body = { workerId: "w", queues: ["default", "other"], max, leaseMs: 60_000, waitMs: 0 };
  return (await server.post("/v1/claim", body)).as(ClaimView).jobs;
}

async function claimOne(server: HttpServer): Promise<ClaimedJobView> {
  const [job, ...others] = await claim(server);
  if (job === undefined || others.length > 0) throw new Error(`Claimed ${others.length + 1} jobs, or none`);
  return job;
}

function say(server: HttpServer, { id, leaseToken }: ClaimedJobView, verb: string, body: object = {}) {
  return server.post(`/v1/jobs/${id}/${verb}`, { leaseToken, ...body });
}

const stateOf = async (server: HttpServer, id: string) =>
  (await server.get(`/v1/jobs/${id}`)).as(JobDetailView).state;

const faultsOf = (answer: Answer) =>
  (answer.as(Problem).errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);

async function tokenFor(server: HttpServer, scopes: Parameters<typeof issueToken>[1], queues: string[]) {
  return (await issueToken(server, scopes, { queues })).token;
}

describe("POST /v1/flows", () => {
  test("makes a flow whose jobs run in their order", async () => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/flows", ORDER);
    expect([answer.status, answer.headers.get("location")]).toEqual([201, "/v1/flows/1"]);
    expect(answer.as(CreatedFlowView)).toMatchObject({
      id: "1",
      name: "order",
      state: "running",
      finishedAt: null,
      counts: { jobs: 3, completed: 0, dead: 0, cancelled: 0 },
    });
    for (const ref of ["charge", "pack", "mail"]) {
      const job = await claimOne(server);
      expect(job.flow).toEqual({ id: "1", ref });
      expect((await say(server, job, "complete")).status).toBe(200);
    }
    const flow = (await server.get("/v1/flows/1")).as(FlowDetailView);
    expect(flow).toMatchObject({ state: "completed", stuck: false, counts: { completed: 3 } });
    expect(flow.finishedAt).not.toBeNull();
  });

  test("gives the flow of a known key again, and refuses another one under it", async () => {
    const server = await startHttpServer();
    const keyed = { ...ORDER, idempotencyKey: "k" };
    await created(server, keyed);
    const again = await server.post("/v1/flows", keyed);
    expect([again.status, again.as(CreatedFlowView)]).toEqual([
      200,
      expect.objectContaining({ id: "1", deduplicated: true }),
    ]);
    const other = await server.post("/v1/flows", { ...keyed, name: "other" });
    expect([other.status, other.as(Problem).code]).toEqual([422, "idempotency_key_reused"]);
  });

  test.each([
    ["no jobs", { jobs: [] }, ["/jobs out_of_range"]],
    [
      "a field that is none",
      { jobs: [{ ref: "a", name: "a", dependOn: [] }] },
      ["/jobs/0/dependOn unknown_field"],
    ],
    ["what no job may be", { jobs: [{ ref: "a", name: "a b" }] }, ["/jobs/0/name invalid_name"]],
    [
      "fields that exclude each other",
      { jobs: [{ ref: "a", name: "a", delayMs: 1, runAt: "2096-01-01T00:00:00Z" }] },
      ["/jobs/0/runAt conflict"],
    ],
    [
      "a key of a job",
      { jobs: [{ ref: "a", name: "a", idempotencyKey: "k" }] },
      ["/jobs/0/idempotencyKey unknown_field"],
    ],
    [
      "an unknown ref",
      { jobs: [{ ref: "a", name: "a", dependsOn: ["b"] }] },
      ["/jobs/0/dependsOn/0 unknown_ref"],
    ],
    [
      "a cycle",
      {
        jobs: [
          { ref: "a", name: "a", dependsOn: ["b"] },
          { ref: "b", name: "a", dependsOn: ["a"] },
        ],
      },
      ["/jobs/0/dependsOn cycle"],
    ],
  ])("refuses %s and makes nothing", async (_what, { jobs }, faults) => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/flows", { name: "f", jobs });
    expect([answer.status, faultsOf(answer)]).toEqual([422, faults]);
    expect((await server.get("/v1/flows")).as(FlowPageView).items).toEqual([]);
  });

  test("tells the two ends of a long cycle", async () => {
    const server = await startHttpServer();
    const ring = (n: number) =>
      Array.from({ length: n }, (_, place) => ({
        ref: `r${place}`,
        name: "a",
        dependsOn: [`r${(place + 1) % n}`],
      }));
    const detailOf = async (jobs: unknown) =>
      (await server.post("/v1/flows", { name: "f", jobs })).as(Problem).errors?.[0]?.detail;
    expect(await detailOf(ring(4))).toBe("closes a cycle: r0 → r1 → r2 → r3 → r0");
    const long = await detailOf(ring(5_000));
    expect(long).toMatch(/^closes a cycle: r0 → r1 → .* → r9 → … → r4991 → .* → r4999 → r0$/);
    expect(long?.split(" → ")).toHaveLength(21);
  });

  test("tells no more than a hundred faults", async () => {
    const server = await startHttpServer();
    const jobs = Array.from({ length: 300 }, (_, n) => ({ ref: `r${n}`, name: "a b" }));
    expect(faultsOf(await server.post("/v1/flows", { name: "f", jobs }))).toHaveLength(100);
  });

  test("takes more jobs than a batch, which are many parts of a body", async () => {
    const server = await startHttpServer();
    const jobs = Array.from({ length: 20_000 }, (_, n) => ({ ref: `r${n}`, name: "a", payload: { n } }));
    expect((await created(server, { name: "large", jobs })).counts.jobs).toBe(20_000);
    const [, second] = await claim(server, 2);
    expect(second?.flow).toEqual({ id: "1", ref: "r1" });
  });
});

describe("looking at flows", () => {
  test("lists them, newest first, by state and name", async () => {
    const server = await startHttpServer();
    for (const name of ["a", "b", "a"]) await created(server, { name, jobs: [{ ref: "x", name: "x" }] });
    await server.post("/v1/flows/1/cancel", {});
    const ids = async (query: string) =>
      (await server.get(`/v1/flows?${query}`)).as(FlowPageView).items.map(({ id }) => id);
    expect(await ids("")).toEqual(["3", "2", "1"]);
    expect(await ids("name=a")).toEqual(["3", "1"]);
    expect(await ids("state=cancelled")).toEqual(["1"]);
    expect(await ids("state=running&name=a")).toEqual(["3"]);
    const first = (await server.get("/v1/flows?limit=2")).as(FlowPageView);
    expect(await ids(`limit=2&cursor=${first.nextCursor ?? ""}`)).toEqual(["1"]);
    const elsewhere = await server.get(`/v1/flows?name=a&cursor=${first.nextCursor ?? ""}`);
    expect(elsewhere.as(Problem).code).toBe("bad_cursor");
  });

  test("shows the jobs with what each depends on, a page at a time", async () => {
    const server = await startHttpServer();
    await created(server);
    const first = (await server.get("/v1/flows/1/jobs?limit=2")).as(FlowJobPageView);
    const second = (await server.get(`/v1/flows/1/jobs?limit=2&cursor=${first.nextCursor ?? ""}`)).as(
      FlowJobPageView,
    );
    expect(second.nextCursor).toBeNull();
    const shown = [...first.items, ...second.items].map(({ ref, state, dependencies, dependsOn }) => ({
      ref,
      state,
      dependencies,
      on: dependsOn.map((link) => `${link.ref} ${link.onFailure}`),
    }));
    expect(shown).toEqual([
      { ref: "charge", state: "pending", dependencies: 0, on: [] },
      { ref: "pack", state: "blocked", dependencies: 1, on: ["charge cancel"] },
      { ref: "mail", state: "blocked", dependencies: 2, on: ["charge cancel", "pack run"] },
    ]);
  });

  test("tells results exactly as they are stored, and what depends on a job", async () => {
    const server = await startHttpServer();
    await created(server);
    const job = await claimOne(server);
    const { leaseToken } = job;
    await server.send("POST", `/v1/jobs/${job.id}/complete`, {
      raw: `{"leaseToken":"${leaseToken}","result":{"total":1e2}}`,
    });
    const stored = (await server.get(`/v1/jobs/${job.id}/result`)).text;
    const [pack] = (await server.get("/v1/jobs/1/dependants")).as(DependantPageView).items;
    const answer = await server.get(`/v1/jobs/${pack?.id ?? ""}/dependencies`);
    expect(answer.text).toContain(`"result":${stored}}`);
    expect(answer.as(DependencyPageView)).toMatchObject({
      items: [
        {
          id: "1",
          ref: "charge",
          queue: "default",
          state: "completed",
          resolved: true,
          result: { total: 100 },
        },
      ],
      nextCursor: null,
    });
    const mail = (await server.get("/v1/jobs/3/dependencies")).as(DependencyPageView).items;
    expect(mail.map((item) => "result" in item)).toEqual([true, false]);
  });

  test.each([
    ["GET", "/v1/flows/7", "flow_not_found"],
    ["GET", "/v1/flows/7/jobs", "flow_not_found"],
    ["POST", "/v1/flows/7/cancel", "flow_not_found"],
    ["POST", "/v1/flows/7/retry", "flow_not_found"],
    ["GET", "/v1/jobs/7/dependencies", "job_not_found"],
    ["GET", "/v1/jobs/7/dependants", "job_not_found"],
  ])("%s %s is 404 where there is none", async (method, path, code) => {
    const server = await startHttpServer();
    const answer = await server.send(method, path);
    expect([answer.status, answer.as(Problem).code]).toEqual([404, code]);
  });
});

describe("the filter flow:", () => {
  test("finds the jobs of a flow, newest first, a page at a time", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    await created(server);
    await created(server, { name: "f", jobs: [{ ref: "x", name: "x" }] });
    const find = async (q: string) => {
      const path = `/v1/jobs?q=${encodeURIComponent(q)}`;
      return (await server.get(path)).as(JobPageView).items.map(({ id }) => id);
    };
    expect(await find("flow:1")).toEqual(["4", "3", "2"]);
    expect(await find("flow:1 state:pending")).toEqual(["2"]);
    expect(await find("flow:1,2")).toEqual(["5", "4", "3", "2"]);
    expect(await find("-flow:1")).toEqual(["5", "1"]);
    const page = (await server.get("/v1/jobs?q=flow:1&limit=2")).as(JobPageView);
    const rest = await server.get(`/v1/jobs?q=flow:1&limit=2&cursor=${page.nextCursor ?? ""}`);
    expect(rest.as(JobPageView).items.map(({ id }) => id)).toEqual(["2"]);
    expect((await server.get("/v1/jobs?q=flow:x")).as(Problem).code).toBe("bad_filter");
  });
});

describe("changing a flow by hand", () => {
  test("cancels what has not ended, retries what did not complete, and is written down", async () => {
    const server = await startHttpServer();
    await created(server);
    await say(server, await claimOne(server), "complete");
    const cancelled = (await server.post("/v1/flows/1/cancel", {})).as(FlowChangedView);
    expect(cancelled).toMatchObject({ changed: 2, flow: { state: "cancelled", counts: { cancelled: 2 } } });
    const retried = (await server.post("/v1/flows/1/retry", {})).as(FlowChangedView);
    expect(retried).toMatchObject({ changed: 2, flow: { state: "running", counts: { cancelled: 0 } } });
    const { items } = (await server.get("/v1/audit")).json as { items: { action: string; target: string }[] };
    expect(items.map(({ action, target }) => `${action} ${target}`)).toEqual(["retryFlow 1", "cancelFlow 1"]);
  });
});

describe("a worker that holds a job", () => {
  test("adds jobs, waits for them and reads their results", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const parent = await claimOne(server);
    const jobs = [
      { ref: "x", name: "a" },
      { ref: "y", name: "a", dependsOn: ["x"] },
    ];
    // Again, as after a lost answer.
    for (let time = 0; time < 2; time += 1) {
      expect((await say(server, parent, "flow-jobs", { jobs })).status).toBe(204);
    }
    expect((await server.get("/v1/flows/1")).as(FlowDetailView).counts.jobs).toBe(3);
    const wait = async (body: object) => (await say(server, parent, "wait", body)).as(WaitForJobsView);
    expect(await wait({ refs: ["y"], check: true })).toEqual({ waiting: true, state: "running" });
    for (let time = 0; time < 2; time += 1) {
      expect(await wait({ refs: ["y"] })).toEqual({ waiting: true, state: "blocked" });
    }
    expect((await say(server, parent, "wait", { refs: ["y"], check: true })).as(Problem).code).toBe(
      "lease_lost",
    );
    await say(server, await claimOne(server), "complete", { result: 1 });
    await say(server, await claimOne(server), "complete", { result: { two: 2 } });
    const again = await claimOne(server);
    expect([again.id, again.attempt]).toEqual([parent.id, 1]);
    const ended = await say(server, again, "wait", { refs: ["y"], check: true });
    expect(ended.as(WaitForJobsView)).toEqual({ waiting: false, state: "running" });
    const results = (await say(server, again, "dependencies")).as(DependencyPageView).items;
    expect(results).toMatchObject([{ ref: "y", state: "completed", result: { two: 2 } }]);
    expect((await say(server, parent, "dependencies")).as(Problem).code).toBe("lease_lost");
    expect((await say(server, parent, "flow-jobs", { jobs })).as(Problem).code).toBe("lease_lost");
  });

  test("that waits for what has ended runs again at once", async () => {
    const server = await startHttpServer();
    await created(server);
    await say(server, await claimOne(server), "complete");
    const pack = await claimOne(server);
    const answer = (await say(server, pack, "wait", { refs: ["charge"] })).as(WaitForJobsView);
    expect(answer.waiting).toBe(false);
    expect((await claimOne(server)).id).toBe(pack.id);
  });

  test("waits once for what had ended before it asked, to read its result", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const parent = await claimOne(server);
    await say(server, parent, "flow-jobs", { jobs: [{ ref: "x", name: "a" }] });
    await say(server, await claimOne(server), "complete", { result: 1 });
    const check = async (job: ClaimedJobView) =>
      (await say(server, job, "wait", { refs: ["x"], check: true })).as(WaitForJobsView).waiting;
    expect(await check(parent)).toBe(true);
    await say(server, parent, "wait", { refs: ["x"] });
    const again = await claimOne(server);
    expect([again.id, again.attempt, await check(again)]).toEqual([parent.id, 1, false]);
    const { items } = (await say(server, again, "dependencies")).as(DependencyPageView);
    expect(items).toMatchObject([{ ref: "x", result: 1 }]);
  });

  test("is told of refs that its flow does not have", async () => {
    const server = await startHttpServer();
    await created(server);
    const job = await claimOne(server);
    const wait = await say(server, job, "wait", { refs: ["pack", "nobody"] });
    expect([wait.status, faultsOf(wait)]).toEqual([422, ["/refs/1 unknown_ref"]]);
    const add = await say(server, job, "flow-jobs", {
      jobs: [{ ref: "x", name: "a", dependsOn: ["nobody"] }],
    });
    expect([add.status, faultsOf(add)]).toEqual([422, ["/jobs/0/dependsOn unknown_ref"]]);
    expect(await stateOf(server, job.id)).toBe("running");
  });

  test("waits by an acknowledgement, and fails the attempt by one with a wrong ref", async () => {
    const server = await startHttpServer();
    await created(server);
    const ack = async ({ id, leaseToken }: ClaimedJobView, refs: string[]) => {
      const item = { id, leaseToken, outcome: "waiting", refs };
      return (await server.post("/v1/ack", { results: [item] })).as(AckView).results[0];
    };
    expect(await ack(await claimOne(server), ["nobody"])).toMatchObject({ ok: true, state: "scheduled" });
    expect((await server.get("/v1/jobs/1")).as(JobDetailView).attempt).toBe(1);
    await created(server, {
      name: "f",
      jobs: [
        { ref: "p", name: "a" },
        { ref: "q", name: "a" },
      ],
    });
    const [p] = await claim(server, 1);
    if (p === undefined) throw new Error("Nothing was claimed");
    expect(await ack(p, ["q"])).toMatchObject({ ok: true, state: "blocked" });
  });
});

describe("a token that covers some queues", () => {
  const MIXED = {
    name: "mixed",
    jobs: [
      { ref: "secret", name: "a", queue: "other" },
      { ref: "own", name: "a", dependsOn: ["secret"] },
      { ref: "after", name: "a", queue: "other", dependsOn: ["own"] },
    ],
  };

  test("makes flows of them only", async () => {
    const server = await startHttpServer();
    const token = await tokenFor(server, ["producer"], ["default"]);
    const answer = await server.send("POST", "/v1/flows", { token, json: MIXED });
    expect([answer.status, answer.as(Problem).code]).toEqual([403, "queue_not_allowed"]);
    expect((await server.send("POST", "/v1/flows", { token, json: ORDER })).status).toBe(201);
  });

  test("sees jobs of them, and neither flows as a whole nor results of others", async () => {
    const server = await startHttpServer();
    await created(server, MIXED);
    const token = await tokenFor(server, ["operator"], ["default"]);
    const get = (path: string) => server.send("GET", path, { token });
    const refused = [
      await get("/v1/flows"),
      await get("/v1/flows/1"),
      await get("/v1/jobs/2/dependencies"),
      await server.send("POST", "/v1/flows/1/cancel", { token, json: {} }),
      await server.send("POST", "/v1/flows/1/retry", { token, json: {} }),
    ];
    for (const answer of refused) expect(answer.as(Problem).code).toBe("queue_not_allowed");
    const { items } = (await get("/v1/flows/1/jobs")).as(FlowJobPageView);
    expect(items.map(({ ref, dependsOn }) => [ref, dependsOn])).toEqual([["own", []]]);
    expect((await get("/v1/jobs/2/dependants")).as(DependantPageView).items).toEqual([]);
    expect((await get("/v1/jobs/1/dependants")).as(Problem).code).toBe("job_not_found");
  });

  test("is told that a job of them waits, not for which jobs of others", async () => {
    const server = await startHttpServer();
    await created(server, {
      name: "mixed",
      jobs: [
        { ref: "secret", name: "a", queue: "other" },
        { ref: "known", name: "a" },
        { ref: "own", name: "a", dependsOn: ["secret", "known"], onDependencyFailure: "block" },
      ],
    });
    await server.post("/v1/jobs/1/cancel", {});
    const explained = async (token?: string) =>
      (await server.get("/v1/jobs/3/explain", token === undefined ? {} : { token })).as(ExplanationView);
    expect(await explained()).toMatchObject({
      detail:
        "The job waits for 2 jobs of its flow: secret (job 1, cancelled), known (job 2, pending). " +
        "It goes on only when what did not complete is retried by hand.",
      facts: {
        open: 2,
        dependencies: [
          { id: "1", ref: "secret", state: "cancelled" },
          { id: "2", ref: "known", state: "pending" },
        ],
        stuck: true,
      },
    });
    const { token } = await issueToken(server, ["read-only"], { queues: ["default"] });
    expect(await explained(token)).toMatchObject({
      detail:
        "The job waits for 2 jobs of its flow: known (job 2, pending), 1 more. " +
        "It goes on only when what did not complete is retried by hand.",
      facts: { open: 2, dependencies: [{ id: "2", ref: "known", state: "pending" }], stuck: true },
    });
    await server.post("/v1/jobs/1/retry", {});
    expect(await explained(token)).toMatchObject({ facts: { open: 2, stuck: false } });
  });

  test("adds jobs of them only to what it works on", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    const { id, leaseToken } = await claimOne(server);
    const token = await tokenFor(server, ["worker"], ["default"]);
    const jobs = [{ ref: "x", name: "a", queue: "other" }];
    const answer = await server.send("POST", `/v1/jobs/${id}/flow-jobs`, {
      token,
      json: { leaseToken, jobs },
    });
    expect([answer.status, answer.as(Problem).code]).toEqual([403, "queue_not_allowed"]);
  });
});
