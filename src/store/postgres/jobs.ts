import type { Attempt, Enqueued, Instant, Job, JobDetail, LogLine } from "../../core/job.js";
import type { JobQuery } from "../../core/job-query/query.js";
import { queryOfFilter } from "../job-filter.js";
import type {
  JobChange,
  JobCount,
  JobCursor,
  JobFilter,
  JobPage,
  JobSearchPage,
  JobStateCounts,
  JobStore,
  MatchingIds,
  NewJob,
} from "../jobs.js";
import { rowId, toJob } from "../rows.js";
import { Batch, split } from "./batch.js";
import type { ChangeByHand } from "./change-by-hand.js";
import type { Queryable } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { CurrentClaim } from "./current-claim.js";
import { Enqueue } from "./enqueue.js";
import { History } from "./history.js";
import type { JobSearch } from "./job-search/job-search.js";
import type { Transaction } from "./transaction.js";

type Change = (tx: Transaction, ids: readonly string[]) => Promise<readonly JobChange[]>;

export class PostgresJobs implements JobStore {
  readonly #inserts;
  readonly #current;
  readonly #history;

  constructor(
    private readonly context: PostgresContext,
    private readonly finder: JobSearch,
    private readonly byHand: ChangeByHand,
  ) {
    const enqueue = new Enqueue(context);
    this.#inserts = new Batch<readonly NewJob[], readonly Enqueued[]>(
      context.committer,
      (jobs) => jobs.length,
      async (tx, calls) => split(await enqueue.insertAll(tx, calls.flat()), calls),
    );
    this.#current = new CurrentClaim(context);
    this.#history = new History(context);
  }

  insertMany(jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
    return this.#inserts.run(jobs);
  }

  async get(id: string): Promise<Job | null> {
    const row = await this.context.read((db) => this.#current.row(db, id));
    return row === undefined ? null : toJob(row);
  }

  detail(id: string): Promise<JobDetail | null> {
    return this.#read(id, null, (db, key) => this.#history.detail(db, key));
  }

  payload(id: string): Promise<string | null> {
    return this.#read(id, null, (db, key) => this.#history.payload(db, key));
  }

  result(id: string): Promise<string | null> {
    return this.#read(id, null, (db, key) => this.#history.result(db, key));
  }

  attempts(id: string): Promise<readonly Attempt[]> {
    return this.#read(id, [], (db, key) => this.#history.attempts(db, key));
  }

  logs(id: string, afterSeq: number, limit: number): Promise<readonly LogLine[]> {
    return this.#read(id, [], (db, key) => this.#history.logs(db, key, afterSeq, limit));
  }

  async list(filter: JobFilter, limit: number, after: JobCursor | null): Promise<JobPage> {
    const query = queryOfFilter(filter);
    const { items, next } = await this.finder.page(query, null, limit, after, Number.POSITIVE_INFINITY);
    return { items, next };
  }

  search(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    limit: number,
    after: JobCursor | null,
    budgetMs: number,
  ): Promise<JobSearchPage> {
    return this.finder.page(query, queueGlobs, limit, after, budgetMs);
  }

  count(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobCount> {
    return this.finder.count(query, queueGlobs, cap, budgetMs);
  }

  countByState(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    cap: number,
    budgetMs: number,
  ): Promise<JobStateCounts> {
    return this.finder.countByState(query, queueGlobs, cap, budgetMs);
  }

  matching(
    query: JobQuery,
    queueGlobs: readonly string[] | null,
    afterId: string | null,
    limit: number,
    examineAtMost: number,
  ): Promise<MatchingIds> {
    return this.context.read((db) =>
      this.finder.matching(db, query, queueGlobs, afterId, limit, examineAtMost),
    );
  }

  cancel(id: string): Promise<JobChange> {
    return this.#change(id, (tx, ids) => this.byHand.cancel(tx, ids));
  }

  revive(id: string): Promise<JobChange> {
    return this.#change(id, (tx, ids) => this.byHand.revive(tx, ids));
  }

  async reviveMany(filter: Omit<JobFilter, "state">, by: Instant, limit: number): Promise<number> {
    let revived = 0;
    for (let wanted = limit; wanted > 0; wanted = limit - revived) {
      // Each time in a transaction of its own: jobs are locked in one order within a transaction.
      const { found, changed } = await this.context.write(async (tx) => {
        const ids = await this.finder.deadBy(tx, filter, by, wanted);
        const changes = await this.byHand.revive(tx, ids, by);
        return { found: ids.length, changed: changes.filter(({ outcome }) => outcome === "changed").length };
      });
      revived += changed;
      // Others may have revived some of them while this waited for their locks. Fewer than were wanted would mean
      // that there are no more.
      if (found < wanted) break;
    }
    return revived;
  }

  runNow(id: string): Promise<JobChange> {
    return this.#change(id, (tx, ids) => this.byHand.runNow(tx, ids));
  }

  delete(id: string, force: boolean): Promise<JobChange> {
    return this.#change(id, (tx, ids) => this.byHand.delete(tx, ids, force));
  }

  #change(id: string, change: Change): Promise<JobChange> {
    return this.context.write(async (tx) => (await change(tx, [id]))[0] ?? { outcome: "missing" });
  }

  #read<T>(id: string, none: T, read: (db: Queryable, key: number) => Promise<T>): Promise<T> {
    const key = rowId(id);
    return this.context.read((db) => (key === null ? Promise.resolve(none) : read(db, key)));
  }
}
