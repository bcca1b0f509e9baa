/**
 * What a token may do. A scope is a bundle of these; a token has one or more scopes.
 *
 * - `enqueue`: make jobs
 * - `follow`: see one job by its id, and its result
 * - `read`: see all jobs with their payloads, queues, schedules, workers, figures and events
 * - `work`: claim jobs and say how they ended
 * - `operate`: change jobs, queues and schedules
 * - `administer`: delete many jobs at once, manage tokens, read the audit log
 * - `metrics`: read `/metrics`
 */
export type Capability = "enqueue" | "follow" | "read" | "work" | "operate" | "administer" | "metrics";

/** What each scope allows. */
export const SCOPES = {
  admin: ["enqueue", "follow", "read", "work", "operate", "administer", "metrics"],
  operator: ["enqueue", "follow", "read", "operate", "metrics"],
  producer: ["enqueue", "follow"],
  worker: ["work"],
  "read-only": ["follow", "read"],
  metrics: ["metrics"],
} as const satisfies Record<string, readonly Capability[]>;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as readonly Scope[];

export function capabilitiesOf(scopes: readonly Scope[]): ReadonlySet<Capability> {
  return new Set(scopes.flatMap((scope): readonly Capability[] => SCOPES[scope]));
}

/** The scopes that allow something, for documents and errors. */
export function scopesThatAllow(capability: Capability): readonly Scope[] {
  return ALL_SCOPES.filter((scope) => (SCOPES[scope] as readonly Capability[]).includes(capability));
}
