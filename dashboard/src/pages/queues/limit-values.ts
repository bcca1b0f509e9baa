import type { OnFull, QueueLimits } from "../../../../src/core/queue-limits.js";
import { spanMs, spanOf, type Span } from "../../ui/time-units.js";

/** What is typed into the form of a queue's limits. Empty: no limit. */
export interface LimitValues {
  readonly concurrency: string;
  readonly starts: string;
  /** The time that `starts` is counted in. */
  readonly per: Span;
  /** The same two for the jobs of each key. */
  readonly keyConcurrency: string;
  readonly keyStarts: string;
  readonly keyPer: Span;
  readonly ageing: Span;
  readonly maxLength: string;
  readonly onFull: OnFull;
}

export type LimitField = keyof LimitValues;

const NO_SPAN: Span = { amount: "", unit: "min" };
const SECOND: Span = { amount: "1", unit: "s" };

/** The form of a queue as it is. */
export function valuesOf({
  concurrency,
  rateLimit,
  perKey,
  ageingMs,
  maxLength,
  onFull,
}: QueueLimits): LimitValues {
  return {
    concurrency: textOf(concurrency),
    starts: textOf(rateLimit?.max ?? null),
    per: rateLimit === null ? SECOND : spanOf(rateLimit.perMs),
    keyConcurrency: textOf(perKey.concurrency),
    keyStarts: textOf(perKey.rateLimit?.max ?? null),
    keyPer: perKey.rateLimit === null ? SECOND : spanOf(perKey.rateLimit.perMs),
    ageing: ageingMs === null ? NO_SPAN : spanOf(ageingMs),
    maxLength: textOf(maxLength),
    onFull,
  };
}

function textOf(limit: number | null): string {
  return limit === null ? "" : String(limit);
}

/** A limit as it goes out. What is no number goes out as it is typed: the server says what is wrong with it. */
type Sent = number | string | null;

interface SentLimits {
  readonly concurrency: Sent;
  readonly rateLimit: { readonly max: Sent; readonly perMs: Sent } | null;
}

/** The body of a `PATCH`. */
export interface LimitsBody extends Partial<SentLimits> {
  readonly perKey?: Partial<SentLimits>;
  readonly ageingMs?: Sent;
  readonly maxLength?: Sent;
  readonly onFull?: OnFull;
}

/** What the form makes other than the queue was when it was begun; `null`: nothing. */
export function changeOf(values: LimitValues, base: QueueLimits): LimitsBody | null {
  const before = valuesOf(base);
  const own = changed(ownOf(values), ownOf(before));
  const perKey = changed(perKeyOf(values), perKeyOf(before));
  const body = { ...own, ...(perKey === null ? {} : { perKey }) };
  return own === null && perKey === null ? null : body;
}

function ownOf(values: LimitValues) {
  return {
    ...limitsOf(values.concurrency, values.starts, values.per),
    ageingMs: msOf(values.ageing),
    maxLength: numberOf(values.maxLength),
    onFull: values.onFull,
  };
}

function perKeyOf({ keyConcurrency, keyStarts, keyPer }: LimitValues): SentLimits {
  return limitsOf(keyConcurrency, keyStarts, keyPer);
}

function limitsOf(concurrency: string, starts: string, per: Span): SentLimits {
  const max = numberOf(starts);
  return {
    concurrency: numberOf(concurrency),
    // Without an amount it is no time: the server says so.
    rateLimit: max === null ? null : { max, perMs: msOf(per) ?? "" },
  };
}

function numberOf(text: string): Sent {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}

function msOf(span: Span): Sent {
  const ms = spanMs(span);
  const amount = numberOf(span.amount);
  return amount !== null && Number.isFinite(ms) ? ms : amount;
}

/** The members that differ; `null` when none does. */
function changed<Members extends object>(now: Members, before: Members): Partial<Members> | null {
  const names = (Object.keys(now) as (keyof Members)[]).filter(
    (name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]),
  );
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name) => [name, now[name]])) as Partial<Members>;
}

const FIELDS: Readonly<Record<string, LimitField>> = {
  "/concurrency": "concurrency",
  "/rateLimit": "starts",
  "/rateLimit/max": "starts",
  "/rateLimit/perMs": "per",
  "/perKey": "keyConcurrency",
  "/perKey/concurrency": "keyConcurrency",
  "/perKey/rateLimit": "keyStarts",
  "/perKey/rateLimit/max": "keyStarts",
  "/perKey/rateLimit/perMs": "keyPer",
  "/ageingMs": "ageing",
  "/maxLength": "maxLength",
  "/onFull": "onFull",
};

/** The field that a fault of the server is about; `null` when none is. */
export function limitFieldAt(pointer: string): LimitField | null {
  return FIELDS[pointer] ?? null;
}
