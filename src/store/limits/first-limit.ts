import type { Instant } from "../../core/job.js";
import { parseKeys } from "../../core/job-keys.js";
import type { HeldBack } from "../../core/held-back.js";
import type { QueueLimits } from "../../core/queue-limits.js";
import type { KeyUsage, Usage } from "./limited-claim.js";
import { bucketOf, leavesAt } from "./rate-window.js";

/** The first limit that keeps a job from being claimed, in the order in which a claim asks. */
export function firstLimit(
  limits: QueueLimits,
  heldUntil: Instant | null,
  usage: Usage,
  ofKeys: KeyUsage | null,
  now: Instant,
): HeldBack | null {
  if (heldUntil !== null && heldUntil > now) return { limit: "hold", key: null, until: heldUntil };
  const { concurrency, rateLimit, perKey } = limits;
  const { running } = usage;
  if (concurrency !== null && running >= concurrency) {
    return { limit: "concurrency", key: null, max: concurrency, running };
  }
  if (rateLimit !== null && usage.starts >= rateLimit.max) {
    const until = leavesAt({ until: usage.first_until ?? bucketOf(now, rateLimit).until }, rateLimit);
    return { limit: "rate", key: null, ...rateLimit, until };
  }
  if (ofKeys === null) return null;
  const { concurrencyKey, rateKey } = parseKeys(ofKeys.keys);
  const holds = [
    { key: rateKey, until: ofKeys.rate_held_until ?? 0 },
    { key: concurrencyKey, until: ofKeys.held_until ?? 0 },
  ];
  for (const { key, until } of holds) if (until > now) return { limit: "key_hold", key, until };
  const ofKey = perKey.concurrency;
  if (ofKey !== null && concurrencyKey !== null && (ofKeys.running ?? 0) >= ofKey) {
    return { limit: "key_concurrency", key: concurrencyKey, max: ofKey, running: ofKeys.running ?? 0 };
  }
  const rate = perKey.rateLimit;
  if (rate !== null && rateKey !== null && (ofKeys.starts ?? 0) >= rate.max) {
    const until = leavesAt({ until: ofKeys.first_until ?? bucketOf(now, rate).until }, rate);
    return { limit: "key_rate", key: rateKey, ...rate, until };
  }
  return null;
}
