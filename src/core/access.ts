/**
 * What a token may do. A scope is a bundle of these; a token has one or more scopes.
 *
 * - `enqueue`: make jobs, and follow one by its id
 * - `read`: see jobs with their payloads and results, queues, schedules, workers, figures and events
 * - `work`: claim jobs and say how they ended
 * - `operate`: change jobs, queues and schedules
 * - `administer`: delete many jobs at once, manage tokens, read the audit log
 * - `metrics`: read `/metrics`
 */
export type Capability = "enqueue" | "read" | "work" | "operate" | "administer" | "metrics";

/** What each scope allows. */
export const SCOPES = {
  admin: ["enqueue", "read", "work", "operate", "administer", "metrics"],
  operator: ["enqueue", "read", "operate", "metrics"],
  producer: ["enqueue"],
  worker: ["work"],
  "read-only": ["read"],
  metrics: ["metrics"],
} as const satisfies Record<string, readonly Capability[]>;

export type Scope = keyof typeof SCOPES;
