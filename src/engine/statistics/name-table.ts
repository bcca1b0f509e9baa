import type { Instant } from "../../core/job.js";
import { validationError } from "../../core/job-request.js";
import { STEP_MS, type Histogram, type StatStep } from "../../store/stats.js";
import type { RollUps } from "./roll-ups.js";
import type { Sum } from "./sums.js";

/** Longer spans are read by the hour: the begin and end of the span may then be off by an hour. */
const LONGEST_BY_MINUTE_MS = 6 * STEP_MS.hour;
/** More than is ever kept, and few enough days to be read. */
const LONGEST_MS = 2_000 * 24 * STEP_MS.hour;
const MAX_NAMES = 200;

export interface NameTable {
  /** Taken down to the minute; in spans above six hours to the hour. */
  readonly from: Instant;
  /** Taken up likewise; exclusive. */
  readonly to: Instant;
  /** Names of which an attempt was started or ended, those with the most attempts first, at most 200. */
  readonly rows: readonly NameRow[];
  /** Whether names were left out. */
  readonly more: boolean;
}

export interface NameRow {
  readonly name: string;
  readonly started: number;
  readonly succeeded: number;
  /** Attempts that failed, timed out or were lost. */
  readonly failed: number;
  /** Jobs that became dead. */
  readonly dead: number;
  readonly wait: Histogram;
  readonly run: Histogram;
}

/**
 * What became of the attempts of each job name.
 *
 * @param queue `null`: all queues, added up
 * @throws KonveierError `validation_failed` for a span without a length or of more than 2 000 days
 */
export async function nameTable(
  rollUps: RollUps,
  request: { readonly from: Instant; readonly to: Instant },
  queue: string | null,
): Promise<NameTable> {
  const lengthMs = request.to - request.from;
  if (lengthMs <= 0) throw outOfRange("must lie before to");
  if (lengthMs > LONGEST_MS) throw outOfRange("lies more than 2000 days before to");
  const step: StatStep = lengthMs <= LONGEST_BY_MINUTE_MS ? "minute" : "hour";
  const from = Math.floor(request.from / STEP_MS[step]) * STEP_MS[step];
  const to = Math.ceil(request.to / STEP_MS[step]) * STEP_MS[step];
  const sums = await rollUps.sums(
    {
      from,
      to,
      step,
      events: ["started", "completed", "failed", "dead"],
      kinds: ["wait", "run"],
      ...(queue !== null && { queue }),
    },
    "names",
  );
  const rows = sums.map(rowOf).sort((a, b) => b.started - a.started || (a.name < b.name ? -1 : 1));
  return { from, to, rows: rows.slice(0, MAX_NAMES), more: rows.length > MAX_NAMES };
}

function outOfRange(detail: string) {
  return validationError([{ pointer: "/from", code: "out_of_range", detail }]);
}

function rowOf({ name, events, durations }: Sum): NameRow {
  return {
    name: name ?? "",
    started: events.started,
    succeeded: events.completed,
    failed: events.failed,
    dead: events.dead,
    wait: durations.wait,
    run: durations.run,
  };
}
