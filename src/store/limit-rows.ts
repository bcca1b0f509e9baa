import { NO_LIMITS, type Limits, type OnFull, type QueueLimits } from "../core/queue-limits.js";

/** The columns of `queues` that hold its limits. */
export interface LimitColumns {
  readonly concurrency: number | null;
  readonly rate_max: number | null;
  readonly rate_per_ms: number | null;
  readonly key_concurrency: number | null;
  readonly key_rate_max: number | null;
  readonly key_rate_per_ms: number | null;
  readonly ageing_ms: number | null;
  readonly max_length: number | null;
  readonly on_full: OnFull;
}

export const LIMIT_COLUMNS = [
  "concurrency",
  "rate_max",
  "rate_per_ms",
  "key_concurrency",
  "key_rate_max",
  "key_rate_per_ms",
  "ageing_ms",
  "max_length",
  "on_full",
] as const satisfies readonly (keyof LimitColumns)[];

/** A row of `queues`, as a limited claim reads it. */
export interface LimitRow extends LimitColumns {
  readonly held_until: number | null;
  readonly key_cursor: string | null;
}

/**
 * Of a row of `queues`: whether its jobs are claimed within limits. Those per key are not asked for: jobs with keys are
 * always claimed so.
 */
export const HAS_LIMITS =
  "(concurrency IS NOT NULL OR rate_max IS NOT NULL OR ageing_ms IS NOT NULL OR held_until IS NOT NULL)";

export function limitsOfRow(row: LimitColumns | undefined): QueueLimits {
  if (row === undefined) return NO_LIMITS;
  return {
    ...limits(row.concurrency, row.rate_max, row.rate_per_ms),
    perKey: limits(row.key_concurrency, row.key_rate_max, row.key_rate_per_ms),
    ageingMs: row.ageing_ms,
    maxLength: row.max_length,
    onFull: row.on_full,
  };
}

function limits(concurrency: number | null, max: number | null, perMs: number | null): Limits {
  return { concurrency, rateLimit: max === null || perMs === null ? null : { max, perMs } };
}

export type LimitValue = LimitColumns[keyof LimitColumns];

/** In the order of `LIMIT_COLUMNS`. */
export function limitValues({
  concurrency,
  rateLimit,
  perKey,
  ageingMs,
  maxLength,
  onFull,
}: QueueLimits): LimitValue[] {
  return [
    concurrency,
    rateLimit?.max ?? null,
    rateLimit?.perMs ?? null,
    perKey.concurrency,
    perKey.rateLimit?.max ?? null,
    perKey.rateLimit?.perMs ?? null,
    ageingMs,
    maxLength,
    onFull,
  ];
}
