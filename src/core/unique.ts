import { JOB_STATES, type JobState } from "./states.js";

/**
 * Where a unique key counts.
 * - `name`: among the jobs of the same queue and name
 * - `queue`: among the jobs of the same queue
 * - `all`: among all jobs
 */
export const UNIQUE_SCOPES = ["name", "queue", "all"] as const;
export type UniqueScope = (typeof UNIQUE_SCOPES)[number];

/**
 * What becomes of a request whose key another job has.
 * - `existing`: it gets that job
 * - `reject`: it is refused with `unique_conflict`
 * - `replace`: that job, while it waits, gets what the request says, and keeps its id; a running one stays as it is
 * - `reschedule`: that job, while it waits for its time or its turn, runs when the request would have run
 */
export const CONFLICT_POLICIES = ["existing", "reject", "replace", "reschedule"] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

/** Keeps a second job with the same key away. */
export interface Unique {
  readonly key: string;
  /** Default `name`. */
  readonly scope?: UniqueScope | undefined;
  /** States in which the job has its key. Default: all in which it is not finished. */
  readonly states?: readonly JobState[] | undefined;
  /** The job has its key no longer than this. Default: no limit. */
  readonly ttlMs?: number | undefined;
  /** Default `existing`. */
  readonly onConflict?: ConflictPolicy | undefined;
}

/** With the defaults filled in. */
export interface CheckedUnique {
  readonly key: string;
  readonly scope: UniqueScope;
  readonly states: readonly JobState[];
  readonly ttlMs: number | null;
  readonly onConflict: ConflictPolicy;
}

const UNFINISHED_STATES = ["blocked", "scheduled", "pending", "running"] as const satisfies JobState[];

export function completeUnique({ key, scope, states, ttlMs, onConflict }: Unique): CheckedUnique {
  return {
    key,
    scope: scope ?? "name",
    states: states === undefined ? UNFINISHED_STATES : JOB_STATES.filter((state) => states.includes(state)),
    ttlMs: ttlMs ?? null,
    onConflict: onConflict ?? "existing",
  };
}

/** Under this a store keeps who has a key. Neither names nor keys have line breaks. */
export function scopedKey(
  { scope, key }: Pick<CheckedUnique, "scope" | "key">,
  { queue, name }: { readonly queue: string; readonly name: string },
): string {
  switch (scope) {
    case "name":
      return `name\n${queue}\n${name}\n${key}`;
    case "queue":
      return `queue\n${queue}\n${key}`;
    case "all":
      return `all\n${key}`;
  }
}

/** Scope and key of what `scopedKey` made. */
export function parseScopedKey(text: string): Pick<CheckedUnique, "scope" | "key"> {
  const parts = text.split("\n");
  return { scope: parts[0] as UniqueScope, key: parts.at(-1) ?? "" };
}
