import type { LiveReading, LiveStore } from "../live.js";
import type { PostgresContext } from "./context.js";
import type { PostgresQueues } from "./queues.js";
import { Statement } from "./statement.js";

/** Each mark is made of numbers; none of them adds up instants as floats, which would lose the last digits. */
interface MarkRow {
  readonly version: string;
  readonly jobs: string;
  readonly schedules: string;
  readonly workers: string;
  readonly operations: string;
  readonly tokens: string;
  readonly rest: string;
}

export class PostgresLive implements LiveStore {
  readonly #version;
  readonly #marks;

  constructor(
    private readonly context: PostgresContext,
    private readonly queues: PostgresQueues,
  ) {
    const { s } = context;
    // Another text whenever any transaction of the server that could write has begun or ended.
    const version = "pg_current_snapshot()::text";
    const mark = (from: string, ...numbers: string[]) =>
      `(SELECT concat_ws('.', ${numbers
        .map((number) => `coalesce((${number})::text, '')`)
        .join(", ")}) FROM ${from})`;
    this.#version = new Statement<[], { version: string }>(`SELECT ${version} AS version`);
    // The jobs: whatever is counted when it happens, and the rest; what neither tells changes the counts of a queue.
    this.#marks = new Statement<[], MarkRow>(
      `SELECT ${version} AS version, concat_ws('.',
           (SELECT coalesce(sum(n), 0) FROM ${s}.total_events),
           (SELECT n FROM ${s}.folded_notes) + (SELECT coalesce(sum(notes), 0) FROM ${s}.deltas)) AS jobs,
         ${mark(
           `${s}.schedules`,
           "count(*)",
           "sum(version)",
           "sum(last_seq)",
           "sum(next_at)",
           "sum(waiting_slot)",
           "sum(skipped)",
           "count(problem)",
         )} AS schedules,
         ${mark(`${s}.workers`, "count(*)", "sum(seen_at)", "sum(started_at)")} AS workers,
         ${mark(
           `${s}.operations WHERE state = 'running'`,
           `SELECT max(id) FROM ${s}.operations`,
           "count(*)",
           "sum(changed)",
         )} AS operations,
         ${mark(
           `${s}.tokens`,
           "count(*)",
           "sum(revoked_at)",
           "sum(expires_at)",
           "sum(last_used_at)",
           `SELECT count(*) FROM ${s}.sessions`,
           `SELECT sum(created_at) FROM ${s}.sessions`,
           `SELECT sum(seen_at) FROM ${s}.sessions`,
         )} AS tokens,
         ${mark(
           `${s}.audit WHERE status IS NULL`,
           `SELECT max(seq) FROM ${s}.audit`,
           `SELECT min(seq) FROM ${s}.audit`,
           "count(*)",
         )} AS rest`,
    );
  }

  version(): Promise<string> {
    return this.context.read(async (db) => (await this.#version.get(db))?.version ?? "");
  }

  read(): Promise<LiveReading> {
    return this.context.snapshot(async (db) => {
      const queues = await this.queues.all(db);
      const row = await this.#marks.get(db);
      if (row === undefined) throw new Error("The marks were read without an answer");
      const { version, rest, ...marks } = row;
      return { version, queues, marks, rest, housekeeping: "" };
    });
  }
}
