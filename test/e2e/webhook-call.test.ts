import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { startReceiver, type Receiver } from "../support/webhook.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

const KEY = Buffer.alloc(24, 3);

let receiver: Receiver;
let answers: number[];

beforeEach(async () => {
  answers = [];
  receiver = await startReceiver((_request, response) => {
    response.writeHead(answers.shift() ?? 200, { "content-type": "application/json" }).end('{"thanks":true}');
  });
  onTestFinished(() => receiver[Symbol.asyncDispose]());
});

async function call(server: ServerProcess, settings: object = {}): Promise<string> {
  const { status, body } = await server.post<{ id: string }>("/v1/jobs", {
    name: "webhook.call",
    payload: { url: `${receiver.url}/hook`, body: { order: 7 } },
    ...settings,
  });
  expect(status).toBe(201);
  return body.id;
}

/** The job, when it has come to its end. */
async function finished(server: ServerProcess, id: string) {
  const { body } = await eventually(
    () =>
      server.get<{ state: string; attempt: number; lastError: { message: string } | null }>(`/v1/jobs/${id}`),
    (answer) => ["completed", "dead"].includes(answer.body.state),
  );
  return body;
}

describe("webhook.call in a server", () => {
  it("sends a signed request that can be told from others, and keeps the answer", async () => {
    const server = await startServer({
      cwd: tempDirectory(),
      env: {
        KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
        KONVEIER_WEBHOOK_SECRETS: `whsec_${KEY.toString("base64")}`,
      },
    });
    answers = [503, 200];
    const id = await call(server, { backoff: { type: "fixed", delayMs: 10 } });
    expect(await finished(server, id)).toMatchObject({ state: "completed", attempt: 2 });

    expect(receiver.requests.map(({ headers }) => headers["webhook-id"])).toEqual([`job_${id}`, `job_${id}`]);
    for (const { method, path, headers, body } of receiver.requests) {
      expect([method, path, body.toString()]).toEqual(["POST", "/hook", '{"order":7}']);
      const signed = `job_${id}.${String(headers["webhook-timestamp"])}.${body.toString()}`;
      const signature = createHmac("sha256", KEY).update(signed).digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
    }
    const result = await server.get(`/v1/jobs/${id}/result`);
    expect(result).toMatchObject({ status: 200, body: { status: 200, body: '{"thanks":true}' } });
  });

  it("reaches no private address that the operator has not allowed", async () => {
    const server = await startServer({ cwd: tempDirectory() });
    const job = await finished(server, await call(server));
    expect(job).toMatchObject({ state: "dead", attempt: 1 });
    expect(job.lastError?.message).toContain("allow it with KONVEIER_WEBHOOK_ALLOW_CIDRS");
    expect(receiver.connections()).toBe(0);
  });
});
