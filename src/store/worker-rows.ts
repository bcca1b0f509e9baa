import type { WorkerRecord } from "./workers.js";

/** A row of `workers`. */
export interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly queues: string;
  readonly names: string | null;
  readonly concurrency: number;
  readonly running: number;
  readonly state: WorkerRecord["state"];
  readonly started_at: number;
  readonly seen_at: number;
}

/** Ids are printable, so the line break ends them. It sorts before all that they may hold. */
export function workerKey(id: string, claimant: string | null): string {
  return claimant === null ? id : `${id}\n${claimant}`;
}

export function toWorker(row: WorkerRow): WorkerRecord {
  const [id = "", claimant = null] = row.id.split("\n");
  return {
    id,
    claimant,
    host: row.host,
    pid: row.pid,
    queues: JSON.parse(row.queues) as string[],
    names: row.names === null ? null : (JSON.parse(row.names) as string[]),
    concurrency: row.concurrency,
    running: row.running,
    state: row.state,
    startedAt: row.started_at,
    seenAt: row.seen_at,
  };
}
