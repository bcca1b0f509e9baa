import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { JobCountView, JobPageView, StateCountsView } from "../../src/api/job-list.js";
import { Problem } from "../../src/api/problem.js";
import { JOB_STATES } from "../../src/core/states.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

const PAGE = readFileSync(new URL("../../docs/filter.md", import.meta.url), "utf8");
/** The filters in the first column of the page's table of qualifiers. */
const EXAMPLES = [...PAGE.matchAll(/^\| `([^`]+)` .*\| (?:counters|index|scan)/gm)].map(
  ([, filter]) => filter!,
);

function address(q: string, more = ""): string {
  return `?q=${encodeURIComponent(q)}${more}`;
}

async function ids(server: HttpServer, query: string): Promise<string[]> {
  const answer = await server.get(`/v1/jobs${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.as(JobPageView).items.map(({ id }) => id);
}

async function serverWithJobs(): Promise<HttpServer> {
  const server = await startHttpServer();
  for (const job of [
    { name: "email.send", queue: "email", tags: ["vip"], payload: { to: "ada@example.com", amount: 100 } },
    { name: "email.send", queue: "email-bulk", idempotencyKey: "order 42" },
    { name: "image.resize", delayMs: 60_000, payload: { items: [{ id: 42 }] } },
  ]) {
    expect((await server.post("/v1/jobs", job)).status).toBe(201);
  }
  return server;
}

describe("GET /v1/jobs?q=", () => {
  test("finds jobs, alone and with the plain parameters", async () => {
    const server = await serverWithJobs();
    expect(await ids(server, address("queue:email*"))).toEqual(["2", "1"]);
    expect(await ids(server, address('key:"order 42"'))).toEqual(["2"]);
    expect(await ids(server, address("payload.items[0].id=42"))).toEqual(["3"]);
    expect(await ids(server, address("-tag:vip"))).toEqual(["3", "2"]);
    expect(await ids(server, address("RESIZE"))).toEqual(["3"]);
    expect(await ids(server, address("run<+2m state:scheduled"))).toEqual(["3"]);
    expect(await ids(server, address("queue:email,default", "&queue=email"))).toEqual(["1"]);
    expect(await ids(server, address("queue:email", "&queue=default"))).toEqual([]);
    expect(await ids(server, address("payload.amount>50", "&state=pending&tag=vip&name=email.send"))).toEqual(
      ["1"],
    );
    expect(await ids(server, "?q=")).toEqual(["3", "2", "1"]);
  });

  test("DSH-06 odd texts are searched for, not run", async () => {
    const server = await serverWithJobs();
    for (const q of ["foo", "%", "_", "'", "\\", '"("']) expect(await ids(server, address(q)), q).toEqual([]);
  });

  test.each([
    ["state:dead quue:email", 11, "unknown_qualifier", "queue"],
    ["queue:a OR queue:b", 8, "boolean_operator", "state:pending,running"],
    ["state:deat", 6, "bad_value", "dead"],
    ['tag:"open', 4, "open_quote", "not closed"],
    ["x".repeat(10_000), 1_000, "too_long", "1000"],
    ["payload.a\0=1", 9, "bad_path", "key"],
  ])("%j is 400 bad_filter with its position", async (q, position, code, detail) => {
    const server = await startHttpServer();
    for (const path of ["/v1/jobs", "/v1/jobs/count"]) {
      const answer = await server.get(path + address(q));
      expect(answer.status).toBe(400);
      expect(answer.as(Problem)).toMatchObject({
        code: "bad_filter",
        retryable: false,
        errors: [{ pointer: "/q", position, code, detail: expect.stringContaining(detail) as string }],
      });
    }
  });

  test.each(["q=a&q=b", "q=a&state=nope", "q=a&cursor=x&limit=0"])(
    "?%s is refused by its schema",
    async (query) => {
      const server = await startHttpServer();
      expect((await server.get(`/v1/jobs?${query}`)).as(Problem).code).toBe("validation_failed");
    },
  );

  test("says what it looked at, and goes on by the cursor of the same filter", async () => {
    const server = await startHttpServer();
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({ name: "a", payload: { n } }));
    await server.post("/v1/jobs/batch", { jobs });
    expect((await server.get(`/v1/jobs${address("state:pending")}`)).as(JobPageView).scan).toBeNull();

    const all = (await server.get(`/v1/jobs${address("payload.n<3")}`)).as(JobPageView);
    expect(all).toMatchObject({ nextCursor: null, scan: { examined: 1_000, until: null, complete: true } });

    const first = (await server.get(`/v1/jobs${address("payload.n>=500  created>1h", "&limit=2")}`)).as(
      JobPageView,
    );
    expect(first.items.map(({ id }) => id)).toEqual(["1000", "999"]);
    expect(first.scan).toMatchObject({ examined: 2, until: first.items[1]!.createdAt, complete: false });
    const cursor = `&limit=3&cursor=${first.nextCursor ?? ""}`;
    expect(await ids(server, address("payload.n>=500 created>60m", cursor))).toEqual(["998", "997", "996"]);
    for (const q of ["payload.n>=501 created>1h", "payload.n>=500", "payload.n>=500 created>2h"]) {
      expect((await server.get(`/v1/jobs${address(q, cursor)}`)).as(Problem).code, q).toBe("bad_cursor");
    }
  });
});

describe("GET /v1/jobs/counts", () => {
  test("counts each state of what the filter finds, and nothing of other queues", async () => {
    const server = await serverWithJobs();
    const counts = async (query: string, token?: string) =>
      (await server.get(`/v1/jobs/counts${query}`, token === undefined ? {} : { token })).as(StateCountsView);
    const all = await counts("");
    expect(Object.keys(all.states)).toEqual([...JOB_STATES]);
    expect(all).toMatchObject({
      states: { pending: { count: 2, capped: false }, scheduled: { count: 1, capped: false } },
      scan: null,
    });
    expect(all.states.dead).toEqual({ count: 0, capped: false });
    expect((await counts(address("queue:email*", "&queue=email"))).states.pending.count).toBe(1);
    expect((await counts("?tag=vip")).states.pending.count).toBe(1);
    expect((await counts("?tag=none")).states.pending.count).toBe(0);
    await server.post("/v1/jobs/2/cancel");
    expect(await counts("")).toMatchObject({
      states: { pending: { count: 1 }, cancelled: { count: 1, capped: false } },
    });
    const scanned = await counts(address("payload.amount>=0"));
    expect(scanned.scan).toEqual({ examined: 3, complete: true });
    const { token } = await issueToken(server, ["read-only"], { queues: ["email"] });
    const own = (await counts("?queue=email")).states;
    expect(own).toMatchObject({ pending: { count: 1 }, cancelled: { count: 0 }, scheduled: { count: 0 } });
    expect((await counts("", token)).states).toEqual(own);
    expect((await counts(address("queue:* attempt>=0"), token)).states).toEqual(own);
  });

  test.each([
    ["state:dead", 0],
    ["tag:vip -state:dead,pending", 8],
  ])("refuses %s, and says where", async (q, position) => {
    const server = await startHttpServer();
    const answer = await server.get(`/v1/jobs/counts${address(q)}`);
    expect(answer.status).toBe(400);
    expect(answer.as(Problem)).toMatchObject({
      code: "bad_filter",
      errors: [{ pointer: "/q", code: "conflict", position }],
    });
  });

  test("has no parameter for a state", async () => {
    const server = await startHttpServer();
    const answer = await server.get("/v1/jobs/counts?state=dead");
    expect(answer.status).toBe(422);
    expect(answer.as(Problem).errors).toMatchObject([{ pointer: "/state", code: "unknown_field" }]);
  });
});

describe("GET /v1/jobs/count", () => {
  test("counts what the filter finds", async () => {
    const server = await serverWithJobs();
    const count = async (query: string): Promise<JobCountView> =>
      (await server.get(`/v1/jobs/count${query}`)).as(JobCountView);
    expect(await count("")).toEqual({ count: 3, capped: false, scan: null });
    expect(await count(address("queue:email*"))).toEqual({ count: 2, capped: false, scan: null });
    expect(await count(address("queue:email*", "&queue=email"))).toEqual({
      count: 1,
      capped: false,
      scan: null,
    });
    expect(await count(address("payload.amount=100"))).toEqual({
      count: 1,
      capped: false,
      scan: { examined: 3, until: null, complete: true },
    });
    expect((await server.get("/v1/jobs/count?limit=1")).status).toBe(422);
  });
});

describe("docs/filter.md", () => {
  test("has an example for each qualifier", () => {
    for (const word of "state queue name id key tag worker schedule error attempt priority created run started finished payload result".split(
      " ",
    )) {
      expect(
        EXAMPLES.some((example) => new RegExp(`(^| )${word}[:~.<>=]`).test(example)),
        word,
      ).toBe(true);
    }
  });

  test.each(EXAMPLES)("%s is a filter", async (example) => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    expect((await server.get(`/v1/jobs${address(example)}`)).status).toBe(200);
    expect((await server.get(`/v1/jobs/count${address(example)}`)).status).toBe(200);
  });

  test("shows the fault as it is", async () => {
    const server = await startHttpServer();
    const shown = JSON.parse(/```json\n(\{\n {2}"pointer"[^]*?)```/.exec(PAGE)![1]!) as unknown;
    const { errors } = (await server.get(`/v1/jobs${address("state:dead quue:email")}`)).as(Problem);
    expect(errors).toEqual([shown]);
  });
});
