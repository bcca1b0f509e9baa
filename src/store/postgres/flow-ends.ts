import type { OnFailure } from "../../core/flow-request.js";
import type { Instant } from "../../core/job.js";
import type { JobState } from "../../core/states.js";
import { effectOf, FlowBook, keptOpenBy, type EndedJob } from "../flow-book.js";
import type { JobRow } from "../rows.js";
import type { Changes } from "./changes.js";
import type { Queryable } from "./connection.js";
import type { FlowCounts } from "./flow-counts.js";
import type { LanedJob } from "./lane-floors.js";
import type { Ledger } from "./ledger.js";
import { Statement } from "./statement.js";

/** Jobs that are told of an end in the transaction of that end; the others are told later. */
const TOLD_AT_ONCE = 1_000;

interface OpenDependency {
  readonly on_id: number;
  readonly job_id: number;
  readonly on_failure: OnFailure;
}

export type BlockedRow = Pick<
  JobRow,
  "id" | "queue" | "name" | "priority" | "state" | "attempt" | "run_at" | "waiting" | "flow_id" | "keys"
> & { readonly delay_ms: number | null };

/** What it takes of a transaction to tell jobs. */
interface Telling extends Queryable {
  readonly now: Instant;
  readonly ledger: Ledger;
  readonly changes: Pick<Changes, "scheduled">;
  madePending(job: LanedJob, runAt: Instant): void;
}

/** What a blocked job becomes. */
interface Change {
  readonly row: BlockedRow;
  readonly state: JobState;
  readonly waiting: number;
  readonly runAt: Instant;
  /** Of one that is cancelled: what it depended on. */
  readonly about?: number;
}

export class FlowEndStatements {
  readonly open;
  readonly resolve;
  readonly forget;
  readonly lockBlocked;
  readonly change;
  readonly keepReasons;
  readonly tellLater;
  readonly takeToTell;
  readonly endsOf;

  constructor(s: string) {
    // From the index for each job by itself: joined, the table might be read whole. The policy is in a form of which the
    // planner knows nothing: where all have the same, it would expect no row, and read the whole table for each job.
    this.open = new Statement<
      [ids: readonly number[], keptOpen: readonly string[], limit: number],
      OpenDependency
    >(
      `SELECT dependency.* FROM unnest($1::bigint[], $2::text[]) AS ended (id, kept_open)
       CROSS JOIN LATERAL (
         SELECT on_id, job_id, on_failure FROM ${s}.dependencies
         WHERE on_id = ended.id AND NOT resolved AND CASE on_failure WHEN ended.kept_open THEN false ELSE true END
         ORDER BY job_id LIMIT $3
       ) AS dependency LIMIT $3`,
    );
    const told = `unnest($1::bigint[], $2::bigint[]) AS told (on_id, job_id)
      WHERE dependencies.on_id = ANY($1) AND NOT resolved
        AND dependencies.on_id = told.on_id AND dependencies.job_id = told.job_id`;
    this.resolve = new Statement<[onIds: readonly number[], jobIds: readonly number[]], never>(
      `UPDATE ${s}.dependencies SET resolved = true FROM ${told}`,
    );
    this.forget = new Statement<[onIds: readonly number[], jobIds: readonly number[]], never>(
      `DELETE FROM ${s}.dependencies USING ${told}`,
    );
    // In one order for all.
    this.lockBlocked = new Statement<[ids: readonly number[]], BlockedRow>(
      `SELECT id, queue, name, priority, state, attempt, run_at, waiting, flow_id,
         (SELECT delay_ms FROM ${s}.job_specs WHERE job_id = jobs.id) AS delay_ms
       FROM ${s}.jobs WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    );
    this.change = new Statement<
      [
        ids: readonly number[],
        states: readonly string[],
        waiting: readonly number[],
        runAts: readonly Instant[],
        now: Instant,
      ],
      never
    >(
      `UPDATE ${s}.jobs SET state = told.state, waiting = told.waiting, run_at = told.run_at,
         finished_at = CASE told.state WHEN 'cancelled' THEN $5::bigint END
       FROM unnest($1::bigint[], $2::text[], $3::int[], $4::bigint[]) AS told (id, state, waiting, run_at)
       WHERE jobs.id = ANY($1) AND jobs.id = told.id`,
    );
    this.keepReasons = new Statement<[ids: readonly number[], abouts: readonly number[]], never>(
      `INSERT INTO ${s}.cancellations (job_id, reason, about)
       SELECT id, 'dependency', about FROM unnest($1::bigint[], $2::bigint[]) AS gone (id, about)
       ON CONFLICT (job_id) DO UPDATE SET reason = excluded.reason, about = excluded.about`,
    );
    this.tellLater = new Statement<[ids: readonly number[]], never>(
      `INSERT INTO ${s}.ends_to_tell (job_id) SELECT * FROM unnest($1::bigint[]) AS ended (id) ORDER BY id
       ON CONFLICT DO NOTHING`,
    );
    // Another process that does the same takes others.
    this.takeToTell = new Statement<[limit: number], { job_id: number }>(
      `DELETE FROM ${s}.ends_to_tell WHERE job_id IN (
         SELECT job_id FROM ${s}.ends_to_tell ORDER BY job_id LIMIT $1 FOR UPDATE SKIP LOCKED
       ) RETURNING job_id`,
    );
    // Nobody retries them until this transaction ends.
    this.endsOf = new Statement<[ids: readonly number[]], Pick<JobRow, "id" | "state">>(
      `SELECT id, state FROM ${s}.jobs WHERE id = ANY($1::bigint[]) ORDER BY id FOR SHARE`,
    );
  }
}

/** Tells jobs that what they wait for has ended, in the transaction that ends it. */
export class FlowEnds {
  readonly book = new FlowBook();

  constructor(
    private readonly statements: FlowEndStatements,
    private readonly counts: FlowCounts,
  ) {}

  /** At the end of the transaction, before the rest is written. */
  async flush(tx: Telling): Promise<void> {
    if (this.book.empty) return;
    await this.#tell(tx, TOLD_AT_ONCE);
    await this.counts.write(tx, this.book.takeChanges(), tx.now);
  }

  /**
   * Goes on with ends that were not told to all, for about so many jobs.
   *
   * @returns how many were told
   */
  async goOn(tx: Telling, limit: number): Promise<number> {
    const ids = (await this.statements.takeToTell.all(tx, limit)).map(({ job_id: id }) => id);
    if (ids.length === 0) return 0;
    const states = new Map((await this.statements.endsOf.all(tx, ids)).map(({ id, state }) => [id, state]));
    // Somebody may have retried one meanwhile: then it ends again.
    for (const id of ids) this.book.tellAgain(id, states.get(id));
    return limit - (await this.#tell(tx, limit));
  }

  /** Those of a flow that is opened wait for one less. */
  async open(tx: Telling, rows: readonly BlockedRow[]): Promise<void> {
    await this.#change(
      tx,
      rows.map((row) => less(row, row.waiting - 1, tx.now)),
    );
  }

  /** @returns how many more could be told */
  async #tell(tx: Telling, limit: number): Promise<number> {
    let left = limit;
    for (let ended = this.book.takeEnded(); ended.length > 0; ended = this.book.takeEnded()) {
      left -= await this.#tellDependants(tx, ended, left);
    }
    return left;
  }

  async #tellDependants(tx: Telling, ended: readonly EndedJob[], limit: number): Promise<number> {
    // A job that is ended twice in one transaction is told by how it ended last.
    const ends = new Map(ended.map(({ id, end }) => [id, end]));
    const { open, tellLater } = this.statements;
    const keptOpen = [...ends.values()].map(keptOpenBy);
    const found = await open.all(tx, [...ends.keys()], keptOpen, limit + 1);
    if (found.length === 0) return 0;
    const dependencies = found.slice(0, limit);
    // Which of them have more is not known: who has none then is told to nobody.
    if (found.length > limit) await tellLater.run(tx, [...ends.keys()]);
    if (dependencies.length === 0) return 0;
    const isGone = ({ on_id }: OpenDependency): boolean => ends.get(on_id) === "deleted";
    await this.#settle(tx, this.statements.forget, dependencies.filter(isGone));
    await this.#settle(
      tx,
      this.statements.resolve,
      dependencies.filter((dependency) => !isGone(dependency)),
    );
    const effects = byDependant(dependencies);
    const rows = await this.statements.lockBlocked.all(tx, [...effects.keys()]);
    const changes = rows
      .filter(({ state }) => state === "blocked")
      .map((row): Change => {
        const of = effects.get(row.id) ?? [];
        const cause = of.find(
          ({ on_id, on_failure }) => effectOf(ends.get(on_id) ?? "completed", on_failure) === "is cancelled",
        );
        return cause === undefined
          ? less(row, row.waiting - of.length, tx.now)
          : { row, state: "cancelled", waiting: 0, runAt: row.run_at, about: cause.on_id };
      });
    await this.#change(tx, changes);
    return dependencies.length;
  }

  async #settle(
    tx: Telling,
    statement: Statement<[onIds: readonly number[], jobIds: readonly number[]], never>,
    dependencies: readonly OpenDependency[],
  ): Promise<void> {
    if (dependencies.length === 0) return;
    await statement.run(
      tx,
      dependencies.map(({ on_id }) => on_id),
      dependencies.map(({ job_id }) => job_id),
    );
  }

  async #change(tx: Telling, changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    await this.statements.change.run(
      tx,
      changes.map(({ row }) => row.id),
      changes.map(({ state }) => state),
      changes.map(({ waiting }) => waiting),
      changes.map(({ runAt }) => runAt),
      tx.now,
    );
    const cancelled = changes.flatMap(({ row, about }) =>
      about === undefined ? [] : [{ id: row.id, about }],
    );
    if (cancelled.length > 0) {
      await this.statements.keepReasons.run(
        tx,
        cancelled.map(({ id }) => id),
        cancelled.map(({ about }) => about),
      );
    }
    for (const change of changes) this.#account(tx, change);
  }

  #account(tx: Telling, { row, state, runAt }: Change): void {
    if (state === "blocked") return;
    const lane = tx.ledger.lane(row.queue, row.name);
    lane.moved(row.id, state === "cancelled" ? "cancel" : "unblock", "blocked", state, row.attempt);
    if (state === "pending") tx.madePending(row, runAt);
    if (state === "scheduled") tx.changes.scheduled();
    if (state !== "cancelled") return;
    lane.count("cancelled");
    if (row.flow_id !== null) this.book.ended(row.id, row.flow_id, "cancelled");
  }
}

function byDependant(dependencies: readonly OpenDependency[]): Map<number, OpenDependency[]> {
  const grouped = new Map<number, OpenDependency[]>();
  for (const dependency of dependencies) {
    const group = grouped.get(dependency.job_id);
    if (group === undefined) grouped.set(dependency.job_id, [dependency]);
    else group.push(dependency);
  }
  return grouped;
}

/** A blocked job that waits for so many. */
function less(row: BlockedRow, waiting: number, now: Instant): Change {
  if (waiting > 0) return { row, state: "blocked", waiting, runAt: row.run_at };
  // Not before now: the time that it was blocked is no time that it waited for a worker.
  const runAt = Math.max(row.run_at, now) + (row.delay_ms ?? 0);
  return { row, state: runAt > now ? "scheduled" : "pending", waiting: 0, runAt };
}
