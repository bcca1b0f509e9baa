import { expect } from "vitest";
import { BulkPreviewView } from "../../src/api/operation.js";
import { ClaimView } from "../../src/api/claim.js";
import type { Answer, HttpServer } from "../support/http-server.js";
import { ALL_TEXTS, NAMES, PRINTABLE_TEXTS } from "./hostile-texts.js";

/** A reason may have 500 characters: several texts in each. */
export const REASONS = chunks(ALL_TEXTS, 480);
const TAGS = PRINTABLE_TEXTS.slice(0, 16);
export const KEY = PRINTABLE_TEXTS.slice(0, 6).join("").slice(0, 255);
const BULK_FILTER = `tag:${TAGS.slice(0, 8).map(quoted).join(",")}`;

/** Of the full job. */
const WORKERS = [`first ${PRINTABLE_TEXTS[0]}`, `second ${PRINTABLE_TEXTS[3]}`] as const;

/** The job that has every text in every field. */
export const FULL_JOB = "1";
export const PAYLOAD = Object.fromEntries(ALL_TEXTS.map((text) => [text, [text]]));

export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function chunks(texts: readonly string[], size: number): string[] {
  const made: string[] = [];
  let chunk = "";
  for (const text of texts) {
    if (chunk !== "" && chunk.length + text.length + 3 > size) {
      made.push(chunk);
      chunk = "";
    }
    chunk = chunk === "" ? text : `${chunk} · ${text}`;
  }
  return [...made, chunk];
}

async function ok(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  expect(answer.status, answer.text.slice(0, 2_000)).toBeLessThan(300);
  return answer;
}

async function claim(server: HttpServer, queue: string, workerId: string, max: number) {
  const body = { workerId, queues: [queue], max, leaseMs: 600_000 };
  return (await ok(server.post("/v1/claim", body))).as(ClaimView).jobs;
}

/** A server where every field that somebody else can fill is filled with hostile texts. */
export async function seedHostile(server: HttpServer): Promise<void> {
  await fullJob(server);
  await deadJobs(server);
  await heldJobs(server);
  for (const name of NAMES) await ok(server.post("/v1/jobs", { name, queue: name, delayMs: 60_000 }));
  await schedules(server);
  for (const name of PRINTABLE_TEXTS) {
    await ok(server.post("/v1/tokens", { name, scopes: ["producer"], queues: ["javascript:window.__xss*"] }));
  }
  await operation(server);
  // Last, for the newest page of the audit log.
  for (const [index, reason] of REASONS.entries()) {
    await ok(server.post("/v1/jobs", { name: "waits", queue: `paused-${index}` }));
    await ok(server.post(`/v1/queues/paused-${index}/pause`, { reason }));
  }
}

async function fullJob(server: HttpServer): Promise<void> {
  const job = { name: NAMES[0], queue: NAMES[0], payload: PAYLOAD, tags: TAGS, idempotencyKey: KEY };
  await ok(server.post("/v1/jobs", { ...job, backoff: { type: "fixed", delayMs: 0 } }));
  const [first] = await claim(server, NAMES[0], WORKERS[0], 1);
  const all = ALL_TEXTS.join("\n");
  await ok(
    server.post(`/v1/jobs/${FULL_JOB}/logs`, {
      leaseToken: first?.leaseToken,
      lines: ALL_TEXTS.map((message) => ({ message })),
    }),
  );
  for (const name of PRINTABLE_TEXTS) {
    const step = { leaseToken: first?.leaseToken, name, result: PAYLOAD };
    await ok(server.post(`/v1/jobs/${FULL_JOB}/steps`, step));
  }
  await ok(
    server.post(`/v1/jobs/${FULL_JOB}/fail`, {
      leaseToken: first?.leaseToken,
      error: { type: PRINTABLE_TEXTS[2], message: all, stack: all },
    }),
  );
  const [second] = await claim(server, NAMES[0], WORKERS[1], 1);
  await ok(server.post(`/v1/jobs/${FULL_JOB}/complete`, { leaseToken: second?.leaseToken, result: PAYLOAD }));
}

/** A group for each text. */
async function deadJobs(server: HttpServer): Promise<void> {
  const jobs = ALL_TEXTS.map(() => ({ name: "dies", queue: "dead", maxAttempts: 1, tags: TAGS }));
  await ok(server.post("/v1/jobs/batch", { jobs }));
  for (const [index, { id, leaseToken }] of (
    await claim(server, "dead", "killer", ALL_TEXTS.length)
  ).entries()) {
    const text = ALL_TEXTS[index] ?? "";
    const error = { type: text, message: text, stack: text };
    await ok(server.post(`/v1/jobs/${id}/fail`, { leaseToken, error }));
  }
}

/** A running job for each text, held by a worker of that name. */
async function heldJobs(server: HttpServer): Promise<void> {
  await ok(
    server.post("/v1/jobs/batch", { jobs: PRINTABLE_TEXTS.map(() => ({ name: "runs", queue: "held" })) }),
  );
  for (const workerId of PRINTABLE_TEXTS) {
    const [job] = await claim(server, "held", workerId, 1);
    const progress = { leaseToken: job?.leaseToken, percent: 10, message: workerId };
    await ok(server.post(`/v1/jobs/${job?.id ?? ""}/progress`, progress));
  }
}

async function schedules(server: HttpServer): Promise<void> {
  for (const [index, reason] of REASONS.entries()) {
    const job = { name: NAMES[0], queue: NAMES[0], tags: TAGS, payload: PAYLOAD };
    const json = { cron: "30 8 * * MON", timezone: "Europe/Berlin", job };
    await ok(server.send("PUT", `/v1/schedules/paused-${index}`, { json }));
    await ok(server.post(`/v1/schedules/paused-${index}/pause`, { reason }));
  }
  for (const name of NAMES) {
    await ok(server.send("PUT", `/v1/schedules/${name}`, { json: { everyMs: 3_600_000, job: { name } } }));
  }
}

/** Nothing works on it here, so it stays on its way and is shown. */
async function operation(server: HttpServer): Promise<void> {
  const body = { action: "retry", q: BULK_FILTER };
  const { previewToken } = (await ok(server.post("/v1/jobs/bulk/preview", body))).as(BulkPreviewView);
  await ok(server.post("/v1/jobs/bulk", { previewToken, reason: REASONS[0] }));
}
