import type { Instant } from "../../core/job.js";

/** `critical`: somebody should look now; `warning`: today; `info`: good to know. */
export const SEVERITIES = ["critical", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Who may learn of it: who sees one of the queues, who sees all queues, or also the token that started it. */
export type Audience = { readonly queues: readonly string[] } | { readonly startedBy: string } | "all queues";

/** What one rule finds. `Details` are its figures, for programs and for sentences in other languages. */
export type FindingOf<Code extends string, Details extends object> = {
  readonly code: Code;
  readonly severity: Severity;
  /** Since when it is so; `null` when that is not known. */
  readonly since: Instant | null;
  /** A sentence for people. */
  readonly detail: string;
  readonly audience: Audience;
} & Readonly<Details>;
