import type { Enqueued, Instant, Job } from "../../core/job.js";
import type { ScheduleRunOutcome } from "../../core/schedule.js";
import { outcomesOf, runByHand, runsKept, runsOf, type NewRun } from "../firing.js";
import { queueOfRow, type ScheduleRow } from "../schedule-rows.js";
import type { Fired, Firing, NewJobOfSlot } from "../schedules.js";
import type { PostgresContext } from "./context.js";
import type { Enqueue } from "./enqueue.js";
import { Statement } from "./statement.js";
import type { Transaction } from "./transaction.js";

const UNFINISHED = "('blocked', 'scheduled', 'pending', 'running')";
/** Characters of payloads in one statement: a schedule that catches up makes up to a thousand jobs, large or small. */
const PAYLOADS_AT_ONCE = 4_000_000;

/** What must be known of a schedule that is fired. Not its payload: the jobs come with their own. */
type LockedRow = Pick<
  ScheduleRow,
  "key" | "job" | "overlap" | "next_slot" | "next_at" | "last_slot" | "waiting_slot" | "last_seq"
>;
const LOCKED = "schedules.key, job, overlap, next_slot, next_at, last_slot, waiting_slot, last_seq";

type JobOfSlot = NewJobOfSlot & Pick<Firing, "delayMs">;

/** A schedule whose row is locked, and what is to be written about it. */
interface Move {
  readonly row: LockedRow;
  readonly nextSlot: Instant | null;
  readonly nextAt: Instant | null;
  readonly lastSlot: Instant | null;
  readonly waitingSlot: Instant | null;
  readonly runs: readonly NewRun[];
  readonly dropAll: boolean;
}

/** Finds a job of a schedule that has not ended. `s` is the schema, `key` is SQL. */
export function unfinishedJobOf(s: string, key: string): string {
  return `SELECT 1 FROM ${s}.schedule_runs JOIN ${s}.jobs ON jobs.id = job_id
    WHERE schedule_runs.key = ${key} AND jobs.state IN ${UNFINISHED}`;
}

/**
 * Turns slots into jobs. All statements of firing are here; every method runs inside a write transaction.
 *
 * Whoever looks whether a job of a schedule has not ended, and whoever makes one, has the row of the schedule locked:
 * two processes cannot both find none. Looking is a statement of its own after the one that locks, so it sees what
 * was made by who had the lock before.
 */
export class Fire {
  readonly #lockDue;
  readonly #lockWaiting;
  readonly #lock;
  readonly #busy;
  readonly #startWaiting;
  readonly #markEnqueued;
  readonly #skipWaiting;
  readonly #skipRun;
  readonly #move;
  readonly #insertRuns;
  readonly #dropOldRuns;

  constructor(
    { s }: PostgresContext,
    private readonly enqueue: Enqueue,
  ) {
    // The guard: of all that read this slot as the next one, a single one gets the row as it was read. Passes over
    // those that somebody else has under his hands: they are fired by him, or looked at again.
    this.#lockDue = new Statement<
      [keys: readonly string[], versions: readonly number[], slots: readonly Instant[]],
      LockedRow
    >(
      `SELECT ${LOCKED} FROM ${s}.schedules
       JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS due (key, version, slot) ON due.key = schedules.key
       WHERE schedules.version = due.version AND next_slot = slot AND paused_at IS NULL
       ORDER BY schedules.key FOR UPDATE OF schedules SKIP LOCKED`,
    );
    this.#lockWaiting = new Statement<[key: string, slot: Instant], LockedRow>(
      `SELECT ${LOCKED} FROM ${s}.schedules WHERE key = $1 AND waiting_slot = $2 AND paused_at IS NULL
       FOR UPDATE SKIP LOCKED`,
    );
    this.#lock = new Statement<[key: string], LockedRow>(
      `SELECT ${LOCKED} FROM ${s}.schedules WHERE key = $1 FOR UPDATE`,
    );
    this.#busy = new Statement<[keys: readonly string[]], { key: string }>(
      `SELECT key FROM unnest($1::text[]) AS asked (key) WHERE EXISTS (${unfinishedJobOf(s, "asked.key")})`,
    );
    this.#startWaiting = new Statement<[key: string], never>(
      `UPDATE ${s}.schedules SET waiting_slot = NULL, enqueued = enqueued + 1 WHERE key = $1`,
    );
    this.#markEnqueued = new Statement<[now: Instant, jobId: string, key: string, slot: Instant], never>(
      `UPDATE ${s}.schedule_runs SET outcome = 'enqueued', fired_at = $1, job_id = $2
       WHERE key = $3 AND slot = $4 AND outcome = 'waiting'`,
    );
    this.#skipWaiting = new Statement<[key: string], never>(
      `UPDATE ${s}.schedules SET waiting_slot = NULL, skipped = skipped + 1
       WHERE key = $1 AND waiting_slot IS NOT NULL`,
    );
    this.#skipRun = new Statement<[key: string], never>(
      `UPDATE ${s}.schedule_runs SET outcome = 'skipped' WHERE key = $1 AND outcome = 'waiting'`,
    );
    this.#move = new Statement<[moves: string], never>(
      `UPDATE ${s}.schedules SET next_slot = moved.next_slot, next_at = moved.next_at,
         last_slot = moved.last_slot, waiting_slot = moved.waiting_slot, last_seq = schedules.last_seq + moved.runs,
         enqueued = schedules.enqueued + moved.enqueued, skipped = schedules.skipped + moved.skipped,
         missed_count = missed_count + moved.missed
       FROM json_to_recordset($1::json) AS moved (key text, next_slot bigint, next_at bigint, last_slot bigint,
         waiting_slot bigint, runs int, enqueued int, skipped int, missed int)
       WHERE schedules.key = moved.key`,
    );
    this.#insertRuns = new Statement<[now: Instant, runs: string], never>(
      `INSERT INTO ${s}.schedule_runs (key, seq, slot, through, manual, fired_at, outcome, job_id)
       SELECT key, seq, slot, through, manual, $1, outcome, job_id
       FROM json_to_recordset($2::json) AS run (key text, seq bigint, slot bigint, through bigint, manual boolean,
         outcome text, job_id bigint)`,
    );
    // Where overlaps matter, unfinished jobs are found by their entries.
    this.#dropOldRuns = new Statement<
      [keys: readonly string[], upTo: readonly number[], all: readonly boolean[]],
      never
    >(
      `DELETE FROM ${s}.schedule_runs USING unnest($1::text[], $2::bigint[], $3::boolean[]) AS old (key, up_to, every)
       WHERE schedule_runs.key = old.key AND seq <= up_to AND (every OR outcome <> 'waiting' AND NOT EXISTS (
         SELECT 1 FROM ${s}.jobs WHERE id = job_id AND state IN ${UNFINISHED}))`,
    );
  }

  /** @param firings of different schedules; those that did something are in the answer, by key */
  async slots(tx: Transaction, firings: readonly Firing[]): Promise<Map<string, Fired[]>> {
    const rows = await this.#lockDue.all(
      tx,
      firings.map(({ key }) => key),
      firings.map(({ version }) => version),
      firings.map(({ slot }) => slot),
    );
    const locked = new Map(rows.map((row) => [row.key, row]));
    const due = firings.flatMap((firing) => {
      const row = locked.get(firing.key);
      return row === undefined ? [] : [{ firing, row }];
    });
    const fired = await this.#fired(tx, due);
    const moves = due.map(({ firing, row }): Move => {
      const slots = fired.get(firing.key) ?? [];
      return {
        row,
        nextSlot: firing.next?.slot ?? null,
        nextAt: firing.next?.at ?? null,
        lastSlot: firing.last,
        waitingSlot: slots.find(({ outcome }) => outcome === "waiting")?.slot ?? row.waiting_slot,
        runs: runsOf(firing, slots),
        dropAll: firing.overlap === "allow",
      };
    });
    await this.#record(tx, moves);
    return fired;
  }

  async startWaiting(tx: Transaction, key: string, waiting: NewJobOfSlot): Promise<Fired | null> {
    const { slot, job } = waiting;
    const row = await this.#lockWaiting.get(tx, key, slot);
    if (row === undefined || (await this.#busyOnes(tx, [key])).has(key)) return null;
    const [made = null] = await this.enqueue.insertDue(tx, [job]);
    if (made === null) {
      await this.dropWaiting(tx, key);
      report(tx, row, "skipped", slot, null);
      return { key, slot, outcome: "skipped", jobId: null };
    }
    await this.#markEnqueued.run(tx, tx.now, made.id, key, slot);
    await this.#startWaiting.run(tx, key);
    report(tx, row, "enqueued", slot, made.id);
    return { key, slot, outcome: "enqueued", jobId: made.id };
  }

  /** The policy has changed and lets no slot wait: the one that did is skipped. */
  async dropWaiting(tx: Transaction, key: string): Promise<void> {
    if ((await this.#skipWaiting.run(tx, key)) > 0) await this.#skipRun.run(tx, key);
  }

  async byHand(tx: Transaction, key: string, { slot, job }: NewJobOfSlot): Promise<Enqueued | null> {
    const row = await this.#lock.get(tx, key);
    if (row === undefined) return null;
    const [made] = await this.enqueue.insertAll(tx, [job]);
    if (made === undefined) return null;
    const move: Move = {
      row,
      nextSlot: row.next_slot,
      nextAt: row.next_at,
      lastSlot: row.last_slot,
      waitingSlot: row.waiting_slot,
      runs: [runByHand(slot, made.id)],
      dropAll: row.overlap === "allow",
    };
    await this.#record(tx, [move]);
    return made;
  }

  /** Decides about all slots, and makes their jobs. */
  async #fired(
    tx: Transaction,
    due: readonly { firing: Firing; row: LockedRow }[],
  ): Promise<Map<string, Fired[]>> {
    const guarded = due.filter(({ firing }) => firing.overlap !== "allow").map(({ row }) => row.key);
    const busy = await this.#busyOnes(tx, guarded);
    const outcomes = due.map(({ firing, row: { key, waiting_slot: waitingSlot } }) =>
      outcomesOf(firing, waitingSlot !== null, busy.has(key)),
    );
    const asked = due.flatMap(({ firing }, index) =>
      firing.jobs
        .filter((_, place) => outcomes[index]?.[place] === "enqueued")
        .map((job) => ({ ...job, delayMs: firing.delayMs })),
    );
    const made = (await this.#make(tx, asked)).values();
    return new Map(
      due.map(({ firing: { key, jobs } }, index) => [
        key,
        jobs.map(({ slot }, place): Fired => {
          const outcome = outcomes[index]?.[place] ?? "skipped";
          if (outcome !== "enqueued") return { key, slot, outcome, jobId: null };
          const jobId = nextOf(made)?.id ?? null;
          return { key, slot, outcome: jobId === null ? "skipped" : "enqueued", jobId };
        }),
      ]),
    );
  }

  async #busyOnes(tx: Transaction, keys: readonly string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    return new Set((await this.#busy.all(tx, keys)).map(({ key }) => key));
  }

  async #make(tx: Transaction, asked: readonly JobOfSlot[]): Promise<(Job | null)[]> {
    const made: (Job | null)[] = [];
    await this.enqueue.lockRooms(
      tx,
      asked.map(({ job }) => job),
    );
    for (const some of inPortions(asked)) {
      const jobs = some.map(({ job }) => job);
      made.push(...(await this.enqueue.insertDue(tx, jobs)));
    }
    for (const [index, { slot, delayMs, job }] of asked.entries()) {
      if (made[index] === null) continue;
      tx.ledger.lane(job.queue, job.name).duration("lag", tx.now - (slot + delayMs));
    }
    return made;
  }

  async #record(tx: Transaction, moves: readonly Move[]): Promise<void> {
    if (moves.length === 0) return;
    const runs = moves.flatMap(({ row: { key, last_seq: lastSeq }, runs: ofKey }) =>
      ofKey.map(({ slot, through, manual, outcome, jobId }, index) => {
        const seq = lastSeq + index + 1;
        return { key, seq, slot, through, manual, outcome, job_id: jobId };
      }),
    );
    await this.#insertRuns.run(tx, tx.now, JSON.stringify(runs));
    await this.#move.run(tx, JSON.stringify(moves.map(columnsOfMove)));
    for (const { row, runs: ofKey } of moves) {
      for (const { outcome, slot, jobId } of ofKey) report(tx, row, outcome, slot, jobId);
    }
    const upTo = ({ row, runs: ofKey }: Move) => row.last_seq + ofKey.length - runsKept(ofKey.length);
    const full = moves.filter((move) => upTo(move) > 0);
    if (full.length === 0) return;
    await this.#dropOldRuns.run(
      tx,
      full.map(({ row }) => row.key),
      full.map(upTo),
      full.map(({ dropAll }) => dropAll),
    );
  }
}

function columnsOfMove({ row, nextSlot, nextAt, lastSlot, waitingSlot, runs }: Move) {
  const count = (wanted: ScheduleRunOutcome) => runs.filter(({ outcome }) => outcome === wanted).length;
  return {
    key: row.key,
    next_slot: nextSlot,
    next_at: nextAt,
    last_slot: lastSlot,
    waiting_slot: waitingSlot,
    runs: runs.length,
    enqueued: count("enqueued"),
    skipped: count("skipped"),
    missed: count("missed"),
  };
}

function inPortions(asked: readonly JobOfSlot[]): JobOfSlot[][] {
  const portions: JobOfSlot[][] = [];
  let room = 0;
  for (const one of asked) {
    const { length } = one.job.payload;
    if (length > room) {
      portions.push([]);
      room = PAYLOADS_AT_ONCE;
    }
    portions.at(-1)?.push(one);
    room -= length;
  }
  return portions;
}

function nextOf(jobs: Iterator<Job | null>): Job | null {
  const next = jobs.next();
  if (next.done === true) throw new Error("A slot was fired without a job");
  return next.value;
}

function report(
  tx: Transaction,
  row: LockedRow,
  outcome: ScheduleRunOutcome,
  slot: Instant,
  jobId: string | null,
): void {
  const action = outcome === "enqueued" ? "fired" : outcome;
  tx.ledger.journal.add({ type: "schedule", key: row.key, queue: queueOfRow(row), action, slot, jobId });
}
