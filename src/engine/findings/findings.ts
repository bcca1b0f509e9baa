import type { Clock } from "../../core/clock.js";
import type { Instant } from "../../core/job.js";
import type { Store } from "../../store/store.js";
import type { RollUps } from "../statistics/roll-ups.js";
import { readFacts, type Facts } from "./facts.js";
import { SEVERITIES } from "./finding.js";
import { deadRecently } from "./rules/dead-recently.js";
import { diskLow } from "./rules/disk-low.js";
import { failing } from "./rules/failing.js";
import { leasesLost } from "./rules/leases-lost.js";
import { noWorker } from "./rules/no-worker.js";
import { operationRunning } from "./rules/operation-running.js";
import { queuePaused } from "./rules/queue-paused.js";
import { queueStalled } from "./rules/queue-stalled.js";
import { scheduleOverdue } from "./rules/schedule-overdue.js";
import { scheduleProblem } from "./rules/schedule-problem.js";
import { walLarge } from "./rules/wal-large.js";
import { workerSilent } from "./rules/worker-silent.js";

/** Within a severity, findings come in this order. A new rule is added here, and to `api/finding.ts`. */
const RULES = [
  diskLow,
  noWorker,
  queueStalled,
  scheduleOverdue,
  scheduleProblem,
  failing,
  deadRecently,
  leasesLost,
  workerSilent,
  walLarge,
  queuePaused,
  operationRunning,
] as const;

/** What is wrong, as one of the rules says it. */
export type Finding = ReturnType<(typeof RULES)[number]>[number];

export interface Evaluation {
  readonly at: Instant;
  /** The most severe first; those of one rule, the worst first. */
  readonly findings: readonly Finding[];
}

export function evaluate(facts: Facts): Evaluation {
  const found = RULES.flatMap((rule): Finding[] => rule(facts));
  const rankOf = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return { at: facts.now, findings: found.sort((a, b) => rankOf(a) - rankOf(b)) };
}

/** Many look at once; the database is asked once for all of them. */
const CACHE_MS = 1_000;

/** What is wrong right now. */
export class Findings {
  #readAt = Number.NEGATIVE_INFINITY;
  #evaluated: Promise<Evaluation> | null = null;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly rollUps: RollUps,
  ) {}

  /** A second old at the most. @throws KonveierError `store_…` */
  evaluated(): Promise<Evaluation> {
    const now = this.clock.monotonic();
    if (this.#evaluated === null || now - this.#readAt >= CACHE_MS) {
      this.#readAt = now;
      this.#evaluated = readFacts(this.store, this.rollUps).then(evaluate);
    }
    return this.#evaluated;
  }
}

/** The first of each code, so that one rule does not drown out the others. */
export function firstOfEachCode(
  findings: readonly Finding[],
  limit: number,
): { readonly findings: readonly Finding[]; readonly more: boolean } {
  const counts = new Map<string, number>();
  const kept = findings.filter(({ code }) => {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= limit;
  });
  return { findings: kept, more: kept.length < findings.length };
}
