import type { JobRequest } from "../../core/job-request.js";
import { DEMO_TEMPLATES, emailRequest, imageRequest, pick, webhookRequest } from "./requests.js";
import type { Simulation } from "./simulation.js";

export interface SeedRequest {
  readonly request: JobRequest;
  /** Whether the job is to be cancelled afterwards. */
  readonly cancelled?: boolean;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const BUSY = { error: "421 the mail server is busy" };
const NO_MAILBOX = { failAttempts: 1_000, error: "550 no such mailbox", final: true };

/** The jobs of a new demo. Always the same ones, because their idempotency keys are. */
export function seedRequests(): readonly SeedRequest[] {
  const jobs = [...emails(), ...images(), ...webhooks(), ...reports(), ...newsletter()];
  return jobs.map((job, index) => ({
    ...job,
    request: { ...job.request, idempotencyKey: `demo-${index + 1}` },
  }));
}

function emails(): SeedRequest[] {
  return [
    ...repeat(20, (n) => email(n, usualEmail(n), { backoff: { type: "fixed", delayMs: 2_000 } })),
    ...repeat(8, (n) => email(n, {}, { queue: "default" })),
    // Dead soon: out of attempts, or failed for good.
    ...repeat(4, (n) => email(n, { ...BUSY, failAttempts: 1_000, takesMs: 200 }, quickRetries(3))),
    ...repeat(3, (n) => email(n, NO_MAILBOX)),
    // Failed, and waiting for the next attempt.
    ...repeat(5, (n) => email(n, { ...BUSY, failAttempts: 2, retryAfterMs: 20 * MINUTE + n * MINUTE })),
    ...repeat(14, (n) => email(n, {}, { delayMs: 10 * MINUTE + n * 3 * HOUR })),
    ...repeat(7, (n) => ({ ...email(n, {}, { delayMs: DAY }), cancelled: true })),
  ];
}

function usualEmail(number: number): Simulation {
  if (number % 10 === 3) return { ...BUSY, failAttempts: 1 };
  if (number % 25 === 7) return { ...BUSY, failAttempts: 2, retryAfterMs: 3_000 };
  return {};
}

function images(): SeedRequest[] {
  return [
    ...repeat(12, (n) => image(n, { takesMs: 300 + (n % 7) * 200 })),
    // Running for as long as somebody may look.
    ...repeat(4, (n) => image(n, { takesMs: 5 * MINUTE * 2 ** n }, { priority: 0, tags: ["panorama"] })),
    ...repeat(2, (n) => image(n, { takesMs: 5_000 }, { timeoutMs: 300, ...quickRetries(2) })),
    ...repeat(6, (n) => image(n, {}, { delayMs: HOUR + n * 5 * HOUR })),
  ];
}

/** The addresses do not exist, so these fail truly: the host cannot be found. */
function webhooks(): SeedRequest[] {
  return [
    ...repeat(3, (n) => webhook(n, quickRetries(2))),
    ...repeat(1, (n) => webhook(n, { payload: { url: "ftp://hooks.example.invalid/" }, ...quickRetries(2) })),
    ...repeat(5, (n) => webhook(n, { backoff: { type: "fixed", delayMs: 30 * MINUTE, jitter: 0.5 } })),
    ...repeat(8, (n) => webhook(n, { delayMs: 2 * HOUR + n * HOUR })),
  ];
}

/** No worker of the demo knows this name, so these stay pending. */
function reports(): SeedRequest[] {
  return repeat(24, (n) => ({
    request: {
      name: "report.build",
      queue: "reports",
      payload: { month: `2026-${String((n % 12) + 1).padStart(2, "0")}`, format: pick(["pdf", "csv"], n) },
      priority: n % 10,
      tags: ["monthly"],
    },
  }));
}

/** This queue is paused. */
function newsletter(): SeedRequest[] {
  return repeat(60, (n) => email(n, {}, { queue: "newsletter", priority: 1, tags: ["newsletter"] }));
}

function email(number: number, simulate: Simulation, settings: Partial<JobRequest> = {}): SeedRequest {
  const template = DEMO_TEMPLATES[number % DEMO_TEMPLATES.length] ?? "receipt";
  return { request: { ...emailRequest(number, template, simulate), ...settings } };
}

function image(number: number, simulate: Simulation, settings: Partial<JobRequest> = {}): SeedRequest {
  return { request: { ...imageRequest(number, simulate), ...settings } };
}

function webhook(number: number, settings: Partial<JobRequest>): SeedRequest {
  return { request: { ...webhookRequest(number), ...settings } };
}

function quickRetries(maxAttempts: number): Partial<JobRequest> {
  return { maxAttempts, backoff: { type: "fixed", delayMs: 500 } };
}

function repeat(times: number, make: (number: number) => SeedRequest): SeedRequest[] {
  return Array.from({ length: times }, (_, index) => make(index));
}
