import type { Instant } from "../core/job.js";

/** One call that changes something, or that was refused for want of rights. Never holds payloads or secrets. */
export interface AuditEntry {
  readonly seq: number;
  readonly at: Instant;
  readonly tokenId: string;
  readonly tokenName: string;
  /** Whether it came from a browser that had signed in. */
  readonly session: boolean;
  readonly ip: string;
  readonly requestId: string;
  /** The operation's id in the OpenAPI document, such as `cancelJob`. */
  readonly action: string;
  /** What it was about, such as a job's id or a queue's name. */
  readonly target: string | null;
  readonly detail: string | null;
  /** HTTP status of the answer, whether it reached the client or not; `null` while there is none, and for ever when the server died before it. */
  readonly status: number | null;
}

export type NewAuditEntry = Omit<AuditEntry, "seq" | "at">;

/** Entries are added and finished, never changed otherwise. */
export interface AuditStore {
  /** @returns its `seq` */
  begin(entry: NewAuditEntry): Promise<number>;
  finish(seq: number, status: number): Promise<void>;
  /** Newest first, of entries before `beforeSeq`. */
  list(limit: number, beforeSeq: number | null): Promise<readonly AuditEntry[]>;
}
