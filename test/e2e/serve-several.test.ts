import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { startReceiver, type Receiver } from "../support/webhook.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

const JOBS = 300;

let cwd: string;
let receiver: Receiver;

beforeEach(async () => {
  cwd = tempDirectory();
  receiver = await startReceiver((_request, response) => response.end());
  onTestFinished(() => receiver[Symbol.asyncDispose]());
});

function start(): Promise<ServerProcess> {
  return startServer({
    cwd,
    env: { KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32", KONVEIER_LEASE_MS: "1000" },
  });
}

function enqueue(server: ServerProcess, count: number) {
  const job = { name: "webhook.call", payload: { url: receiver.url } };
  return server.post("/v1/jobs/batch", { jobs: Array.from({ length: count }, () => job) });
}

/** Every job of the database with the worker that ran it. */
async function workersOf(server: ServerProcess): Promise<string[]> {
  const { body } = await server.get<{ items: { workerId: string }[] }>("/v1/jobs?state=completed&limit=500");
  return body.items.map(({ workerId }) => workerId);
}

describe("several servers on one database", () => {
  it("share the work, and run no job twice", async () => {
    const servers = await Promise.all([start(), start()]);
    await Promise.all(servers.map((server) => enqueue(server, JOBS / 2)));
    const workers = await eventually(
      () => workersOf(servers[0]),
      (done) => done.length === JOBS,
    );
    expect(new Set(workers).size).toBe(2);
    const sent = receiver.requests.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(sent).size).toBe(JOBS);
    expect(sent.length).toBe(JOBS);
  });

  it("take over from one that was killed", async () => {
    const [first, second] = await Promise.all([start(), start()]);
    await enqueue(first, JOBS);
    first.kill("SIGKILL");
    await first.exited;
    await eventually(
      () => workersOf(second),
      (done) => done.length === JOBS,
    );
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(JOBS);
  });

  it("make one job of 100 requests at once with one unique key", async () => {
    const servers = await Promise.all([start(), start()]);
    const job = { name: "unserved", unique: { key: "order-7" } };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => servers[index % 2]!.post<{ id: string }>("/v1/jobs", job)),
    );
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(99);
  });
});
