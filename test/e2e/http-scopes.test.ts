import { describe, expect, test } from "vitest";
import { ALL_SCOPES, type Scope } from "../../src/core/access.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

/**
 * Who may call what, written down a second time on purpose: a route whose access changes by mistake, and a
 * new route that nobody thought about, turn this red.
 */
const ALLOWED: Readonly<Record<string, "everybody" | "any" | readonly Scope[]>> = {
  getHome: "everybody",
  getOpenapi: "everybody",
  getLiveness: "everybody",
  getReadiness: "everybody",
  signIn: "everybody",
  signOut: "everybody",
  getSelf: "any",
  getInfo: "any",

  enqueueJob: ["admin", "operator", "producer"],
  enqueueJobs: ["admin", "operator", "producer"],
  getJob: ["admin", "operator", "producer", "read-only"],
  waitForJob: ["admin", "operator", "producer", "read-only"],
  getJobResult: ["admin", "operator", "producer", "read-only"],

  createFlow: ["admin", "operator", "producer"],
  getFlow: ["admin", "operator", "producer", "read-only"],
  listFlowJobs: ["admin", "operator", "producer", "read-only"],
  listDependencies: ["admin", "operator", "producer", "read-only"],
  listDependants: ["admin", "operator", "producer", "read-only"],
  listFlows: ["admin", "operator", "read-only"],
  cancelFlow: ["admin", "operator"],
  retryFlow: ["admin", "operator"],

  explainJob: ["admin", "operator", "read-only"],
  listDeadGroups: ["admin", "operator", "read-only"],
  listJobs: ["admin", "operator", "read-only"],
  countJobs: ["admin", "operator", "read-only"],
  countJobsByState: ["admin", "operator", "read-only"],
  getJobPayload: ["admin", "operator", "read-only"],
  listJobAttempts: ["admin", "operator", "read-only"],
  listJobSteps: ["admin", "operator", "read-only"],
  getStepResult: ["admin", "operator", "read-only"],
  listJobLogs: ["admin", "operator", "read-only"],
  listQueues: ["admin", "operator", "read-only"],
  getQueue: ["admin", "operator", "read-only"],
  getOverview: ["admin", "operator", "read-only"],
  getTimeseries: ["admin", "operator", "read-only"],
  getQueueLines: ["admin", "operator", "read-only"],
  getNameTable: ["admin", "operator", "read-only"],
  listFindings: ["admin", "operator", "read-only"],
  getMetrics: ["admin", "operator", "metrics"],
  followEvents: ["admin", "operator", "read-only"],
  followLive: ["admin", "operator", "read-only"],
  suggest: ["admin", "operator", "read-only"],
  listOperations: ["admin", "operator", "read-only"],
  getOperation: ["admin", "operator", "read-only"],
  listSchedules: ["admin", "operator", "read-only"],
  getSchedule: ["admin", "operator", "read-only"],
  listScheduleRuns: ["admin", "operator", "read-only"],
  previewSchedule: ["admin", "operator", "read-only"],
  listWorkers: ["admin", "operator", "read-only"],

  retryJob: ["admin", "operator"],
  cancelJob: ["admin", "operator"],
  runJobNow: ["admin", "operator"],
  deleteJob: ["admin", "operator"],
  previewBulk: ["admin", "operator"],
  startBulk: ["admin", "operator"],
  cancelOperation: ["admin", "operator"],
  editQueue: ["admin", "operator"],
  pauseQueue: ["admin", "operator"],
  resumeQueue: ["admin", "operator"],
  putSchedule: ["admin", "operator"],
  deleteSchedule: ["admin", "operator"],
  pauseSchedule: ["admin", "operator"],
  resumeSchedule: ["admin", "operator"],
  runSchedule: ["admin", "operator"],

  claimJobs: ["admin", "worker"],
  heartbeat: ["admin", "worker"],
  completeJob: ["admin", "worker"],
  ack: ["admin", "worker"],
  failJob: ["admin", "worker"],
  releaseJob: ["admin", "worker"],
  snoozeJob: ["admin", "worker"],
  addFlowJobs: ["admin", "worker"],
  waitForJobs: ["admin", "worker"],
  readDependencies: ["admin", "worker"],
  reportProgress: ["admin", "worker"],
  appendLogs: ["admin", "worker"],
  findStep: ["admin", "worker"],
  storeStep: ["admin", "worker"],

  listTokens: ["admin"],
  createToken: ["admin"],
  rotateToken: ["admin"],
  revokeToken: ["admin"],
  listAudit: ["admin"],
};

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

async function operationsOf(server: HttpServer): Promise<Operation[]> {
  const { paths } = (await server.get("/openapi.json")).json as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, "1"),
    })),
  );
}

function mayCall(id: string, scope: Scope): boolean {
  const allowed = ALLOWED[id];
  return allowed === "everybody" || allowed === "any" || allowed?.includes(scope) === true;
}

/** Refused for want of rights; whatever else the call may lack. */
async function isForbidden(
  server: HttpServer,
  { method, path }: Operation,
  headers: Record<string, string>,
): Promise<"forbidden" | "unauthorized" | "let through"> {
  // A page of events, where there could be a stream without end.
  const answer = await server.send(method, path, {
    token: null,
    headers: { accept: "application/json", ...headers },
  });
  if (answer.status === 401 && answer.body["detail"] !== "This is no valid token.") return "unauthorized";
  return answer.status === 403 && answer.body["code"] === "forbidden" ? "forbidden" : "let through";
}

describe("every route", () => {
  test("is in the table", async () => {
    const operations = await operationsOf(await startHttpServer());
    expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(ALLOWED).sort());
  });

  test.each(ALL_SCOPES)(
    "lets a token with the scope %s through, or not, as the table says",
    async (scope) => {
      const server = await startHttpServer();
      const { token } = await issueToken(server, [scope]);
      for (const operation of await operationsOf(server)) {
        const answer = await isForbidden(server, operation, { authorization: `Bearer ${token}` });
        expect(answer, operation.id).toBe(mayCall(operation.id, scope) ? "let through" : "forbidden");
      }
    },
  );

  test("lets nobody through without a token, but for the public ones", async () => {
    const server = await startHttpServer();
    for (const operation of await operationsOf(server)) {
      const expected = ALLOWED[operation.id] === "everybody" ? "let through" : "unauthorized";
      expect(await isForbidden(server, operation, {}), operation.id).toBe(expected);
    }
  });

  test("lets several scopes do what each of them may", async () => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["producer", "metrics", "worker"]);
    for (const operation of await operationsOf(server)) {
      const answer = await isForbidden(server, operation, { authorization: `Bearer ${token}` });
      const may = (["producer", "metrics", "worker"] as const).some((scope) => mayCall(operation.id, scope));
      expect(answer, operation.id).toBe(may ? "let through" : "forbidden");
    }
  });

  test("lets a browser's session do what its token may, but never work on jobs", async () => {
    const server = await startHttpServer();
    const { token } = await issueToken(server, ["admin"]);
    const login = await server.send("POST", "/v1/session", { token: null, json: { token } });
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const headers = { cookie, "sec-fetch-site": "same-origin" };
    for (const operation of await operationsOf(server)) {
      // The session would be over after that.
      if (operation.id === "signOut") continue;
      const isWork = ALLOWED[operation.id]?.includes("worker") === true;
      const answer = await isForbidden(server, operation, headers);
      expect(answer, operation.id).toBe(isWork ? "forbidden" : "let through");
    }
  });
});
