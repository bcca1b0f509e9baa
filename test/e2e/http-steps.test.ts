import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { StepListView } from "../../src/api/job.js";
import { FoundStepView } from "../../src/api/lease.js";
import { Problem } from "../../src/api/problem.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";

async function claim(server: HttpServer): Promise<string> {
  const { jobs } = (await server.post("/v1/claim", { workerId: "w", queues: ["default"] })).as(ClaimView);
  return jobs[0]!.leaseToken;
}

async function started(server: HttpServer): Promise<string> {
  await server.post("/v1/jobs", { name: "a", backoff: { type: "fixed", delayMs: 0 } });
  return claim(server);
}

describe("the steps of a job", () => {
  test("are stored, found by the next attempt, and shown", async () => {
    const server = await startHttpServer();
    const first = await started(server);
    const path = "/v1/jobs/1/steps";
    const find = async (leaseToken: string, name: string) =>
      (await server.post(`${path}/find`, { leaseToken, name })).as(FoundStepView);
    expect(await find(first, "charge")).toEqual({ found: false });
    for (const [name, body] of [
      ["charge", { result: { amount: 7, at: null } }],
      ["notify by mail", {}],
      ["null", { result: null }],
    ] as const) {
      const told = await server.post(path, { leaseToken: first, name, ...body });
      expect([told.status, told.text]).toEqual([204, ""]);
    }
    expect((await server.post(path, { leaseToken: first, name: "charge", result: 8 })).status).toBe(204);
    await server.post("/v1/jobs/1/fail", { leaseToken: first, error: { message: "x" } });

    const second = await claim(server);
    expect(await find(second, "charge")).toEqual({ found: true, result: { amount: 7, at: null } });
    expect(await find(second, "notify by mail")).toEqual({ found: true });
    expect(await find(second, "null")).toEqual({ found: true, result: null });
    await server.post("/v1/jobs/1/complete", { leaseToken: second });

    const { items } = (await server.get(path)).as(StepListView);
    expect(items).toMatchObject([
      { seq: 1, name: "charge", attempt: 1, resultBytes: 22 },
      { seq: 2, name: "notify by mail", attempt: 1, resultBytes: null },
      { seq: 3, name: "null", attempt: 1, resultBytes: 4 },
    ]);
    expect((await server.get(`${path}/1/result`)).text).toBe('{"amount":7,"at":null}');
    expect((await server.get(`${path}/3/result`)).text).toBe("null");
    for (const seq of ["2", "4", "0", "-1", "1.0", "01", "x", "99999999999999999999", "2147483648"]) {
      const answer = await server.get(`${path}/${seq}/result`);
      expect([answer.status, answer.as(Problem).code], seq).toEqual([404, "not_found"]);
    }
  });

  test.each([
    [{}, 422, "validation_failed", "/name"],
    [{ name: "" }, 422, "validation_failed", "/name"],
    [{ name: "a\u0000" }, 422, "validation_failed", "/name"],
    [{ name: "x".repeat(256) }, 422, "validation_failed", "/name"],
    [{ name: 7 }, 422, "validation_failed", "/name"],
    [{ name: "a", resultProblem: "x" }, 422, "validation_failed", "/resultProblem"],
    [{ name: "a", result: "x".repeat(262_143) }, 413, "payload_too_large", undefined],
    [
      { name: "a", result: JSON.parse("[".repeat(129) + "]".repeat(129)) as unknown },
      422,
      "payload_too_deep",
    ],
  ])("refuse a bad one (%#)", async (body, status, code, pointer?) => {
    const server = await startHttpServer();
    const leaseToken = await started(server);
    const answer = await server.post("/v1/jobs/1/steps", { leaseToken, ...body });
    const problem = answer.as(Problem);
    expect([answer.status, problem.code, problem.errors?.[0]?.pointer]).toEqual([status, code, pointer]);
    expect((await server.get("/v1/jobs/1/steps")).as(StepListView).items).toEqual([]);
  });

  test("refuse a number that would change", async () => {
    const server = await startHttpServer();
    const leaseToken = await started(server);
    const body = `{"leaseToken":"${leaseToken}","name":"a","result":9007199254740993}`;
    const answer = await server.send("POST", "/v1/jobs/1/steps", { raw: body });
    expect(answer.as(Problem).code).toBe("number_precision");
  });
});
