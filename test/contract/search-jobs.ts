import { kindOfError } from "../../src/core/error-fingerprint.js";
import type { NewJob } from "../../src/store/jobs.js";
import type { Store } from "../../src/store/store.js";
import { T0 } from "../support/fake-clock.js";
import { seededRandom } from "../support/seeded-random.js";
import { allJobs } from "../support/recount.js";
import type { Harness } from "./harness.js";
import type { KnownJob } from "./query-model.js";

const PAYLOADS = [
  "null",
  "5",
  '"Hello World"',
  "[1,2,[3]]",
  '{"a":1}',
  '{"a":"1"}',
  '{"a":1.5,"n":-3}',
  '{"a":true,"n":0}',
  '{"a":null}',
  '{"a":{"b":"deep Text","c":[{"d":7}]},"n":12}',
  '{"a":["x","y"],"n":2}',
  '{"a":"x\\u0000y"}',
  '{"a":"\\ud800"}',
  '{"a":"100%_\\\\\'"}',
  '{"a":1e400,"n":1e2}',
  '{"a.b":1,"":2,"$":3,"größe":"Ä"}',
  '{"a":9007199254740993}',
] as const;

const ERRORS = [
  { type: "TimeoutError", message: "connect timeout", stack: "at secret.ts" },
  { type: "Error", message: "100%_'refused\" \\ by peer", stack: null },
  { type: "Fehler", message: "Größe ß", stack: null },
] as const;

/** Of the groups that the dead jobs are in, and one of none. */
export const FINGERPRINTS = [...ERRORS.map((error) => kindOfError(error).fingerprint), "0123456789abcdef"];

/** More than one slice of a scan, so that walks have several. */
const COUNT = 330;

/** Jobs in every state, with all that a query can ask about. The same at each call. */
export async function makeJobs(harness: Harness, count = COUNT): Promise<void> {
  const random = seededRandom(23);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const fates = ["pending", "scheduled", "running", "completed", "dead", "cancelled", "retrying"] as const;
  for (let index = 0; index < count; index += 1) {
    harness.clock.block(Math.floor(random() * 4) * 1_000);
    const fate = pick(fates);
    const queue = pick(["email", "email-bulk", "image", "a_b"]);
    const job: NewJob = {
      queue,
      name: pick(["send", "Send.Later", "resize:small", "x"]),
      payload: pick(PAYLOADS),
      priority: fate === "pending" || fate === "scheduled" ? pick([0, 4]) : 9,
      runAt: fate === "scheduled" ? T0 + 10_000_000 + Math.floor(random() * 5) * 1_000 : null,
      delayMs: 0,
      maxAttempts: 3,
      backoff: null,
      timeoutMs: null,
      unique: null,
      expiresAt: null,
      expiresInMs: null,
      tags: pick([[], ["vip"], ["red", "vip"], ["100%"], ["'; DROP TABLE jobs; --"]]),
      idempotency: random() < 0.3 ? { key: `order ${index % 40}-${index}`, fingerprint: "f" } : null,
      schedule: random() < 0.2 ? { key: pick(["nightly", "hourly"]), slot: T0 } : null,
      trace: null,
      keys: null,
    };
    const [made] = await harness.store.jobs.insertMany([job]);
    if (fate === "cancelled") await harness.store.jobs.cancel(made!.id);
    if (fate === "pending" || fate === "scheduled" || fate === "cancelled") continue;
    const workerId = pick(["worker-a", "worker-b", "host:1'"]);
    const claimed = await harness.claimOne({ queues: [queue], leaseMs: 86_400_000, workerId });
    if (fate === "running") continue;
    harness.clock.block(Math.floor(random() * 3) * 500);
    const error = pick(ERRORS);
    if (fate === "completed") await harness.complete(claimed, JSON.parse(pick(PAYLOADS.slice(0, 11))));
    else
      await harness.fail(claimed, fate === "dead" ? "never" : { delayMs: 5_000_000 }, {
        outcome: "failed",
        error,
      });
  }
}

export async function knownJobs(store: Store): Promise<KnownJob[]> {
  return Promise.all(
    (await allJobs(store)).map(async ({ id }) => {
      const [job, payload, result] = [
        (await store.jobs.detail(id))!,
        await store.jobs.payload(id),
        await store.jobs.result(id),
      ];
      return { job, payload: parse(payload), result: parse(result) };
    }),
  );
}

function parse(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}
