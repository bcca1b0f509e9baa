import { systemClock, type Clock } from "../../core/clock.js";
import type { ClaimedJob } from "../../core/job.js";
import type { JobRequest } from "../../core/job-request.js";
import { completion } from "../../engine/complete.js";
import { createContext, type EngineContext } from "../../engine/context.js";
import { enqueueMany } from "../../engine/enqueue.js";
import type { Settlement } from "../../store/claims.js";
import type { Store } from "../../store/store.js";
import { DEMO_TEMPLATES, emailRequest, imageRequest } from "./requests.js";
import { SIMULATED } from "./simulation.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Longer than the history, so that no server on the same file takes its jobs for abandoned ones. */
const LEASE_MS = 2 * DAY;
/** Longer ago, nothing happened: every minute costs the start of the demo some milliseconds. */
const HISTORY_MS = 6 * HOUR;
/** From the first enqueue of a minute to its last completion, at the most. */
const MINUTE_TAKES_MS = 6_000;
const RETRY_AFTER_MS = 3 * MINUTE;
const QUEUES = ["emails", "images"] as const;
/** When the mail server was out of order: begin and end, before now. */
const TROUBLES = [
  [4.2 * HOUR, 3.5 * HOUR],
  [26 * MINUTE, 21 * MINUTE],
] as const;

/** Stands at a moment of the past until it is set to a later one. */
class PastClock implements Clock {
  constructor(public at: number) {}

  now(): number {
    return this.at;
  }

  monotonic(): number {
    return this.at;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    return systemClock.setTimer(delayMs, callback);
  }
}

/**
 * Gives an empty database the past six hours of a demo, so that charts have something to show: real jobs, which a store whose
 * clock stands in the past accepts, hands out and settles.
 *
 * @param open opens the database with this clock
 * @returns how many jobs there have been
 */
export async function seedHistory(
  open: (clock: Clock) => Promise<Store>,
  now = Date.now(),
  random: () => number = Math.random,
): Promise<number> {
  // On whole minutes, up to the present one: a minute of a chart that has only its last seconds would look like a fall.
  const begin = Math.floor((now - HISTORY_MS) / MINUTE) * MINUTE;
  const clock = new PastClock(begin);
  const store = await open(clock);
  try {
    const { items } = await store.jobs.list({}, 1, null);
    if (items.length > 0) return 0;
    const context = createContext(store, { clock, random });
    let jobs = 0;
    for (let at = begin; at < now - MINUTE_TAKES_MS; at += MINUTE) {
      clock.at = at;
      jobs += await passMinute(context, clock, jobs, now - at);
    }
    return jobs;
  } finally {
    await store.close();
  }
}

/** Enqueues the jobs of a minute, and works on them and on those whose retry is due. */
async function passMinute(
  context: EngineContext,
  clock: PastClock,
  before: number,
  age: number,
): Promise<number> {
  const { store, random } = context;
  const { at } = clock;
  const count = Math.round(perMinute(at, age) * (0.8 + 0.4 * random()));
  const requests = Array.from({ length: count }, (_, index) => requestOf(before + index));
  // At once, and so in one commit.
  await Promise.all([enqueueMany(context, requests), store.claims.promote(1_000)]);
  clock.at += Math.round(40 + random() * random() * 4_000);
  const request = { workerId: "demo-history", names: null, max: 1_000, leaseMs: LEASE_MS };
  const claims = await store.claims.claim({ ...request, queues: QUEUES });
  clock.at += Math.round(150 + random() * 900);
  await store.claims.settle(claims.map((claim) => settlementOf(claim, age, random)));
  return count;
}

/** More by day than by night, and at last as many as the demo goes on with. */
function perMinute(at: number, age: number): number {
  if (age <= 3 * HOUR) return 13 - 3.5 * (age / HOUR);
  return 2.2 - 1.6 * Math.cos((2 * Math.PI * (at % DAY)) / DAY);
}

/** The same for the same number, so that two servers that write a history at once write it together. */
function requestOf(number: number): JobRequest {
  const key = { idempotencyKey: `demo-history-${number}` };
  if (number % 10 < 3) return { ...imageRequest(number, {}), ...key };
  const template = DEMO_TEMPLATES[number % DEMO_TEMPLATES.length] ?? "receipt";
  return { ...emailRequest(number, template, {}), ...key };
}

function settlementOf(claim: ClaimedJob, age: number, random: () => number): Settlement {
  const { id, token, name, attempt } = claim;
  const isMail = name === "email.send";
  const hasTrouble = isMail && TROUBLES.some(([from, until]) => age <= from && age > until);
  if (attempt === 1 && random() < (hasTrouble ? 0.5 : 0.04)) {
    const failure = failureOf(isMail ? "421 the mail server is busy" : "the picture could not be read");
    return { verb: "retry", id, token, delayMs: RETRY_AFTER_MS, failure };
  }
  // None in the last hour: what died there is what the demo itself shows.
  if (age > 2 * HOUR && random() < (hasTrouble ? 0.04 : 0.001)) {
    const failure = failureOf(isMail ? "550 no such mailbox" : "the picture is no picture");
    return { verb: "bury", id, token, failure };
  }
  return completion(claim, { simulated: true, note: `${SIMULATED} nothing was done` });
}

function failureOf(error: string) {
  return {
    outcome: "failed",
    error: { type: "Error", message: `${SIMULATED} ${error}`, stack: null },
  } as const;
}
