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
import type { SqliteContext } from "./context.js";
import type { ChangeByHand } from "./change-by-hand.js";
import { Enqueue } from "./enqueue.js";
import { History } from "./history.js";
import type { JobSearch } from "./job-search/job-search.js";
import { rowId, toJob, type JobRow } from "../rows.js";

export class SqliteJobs implements JobStore {
  readonly #enqueue;
  readonly #history;
  readonly #get;

  constructor(
    private readonly context: SqliteContext,
    private readonly finder: JobSearch,
    private readonly byHand: ChangeByHand,
  ) {
    this.#enqueue = new Enqueue(context);
    this.#history = new History(context.db);
    this.#get = context.db.prepare<[number], JobRow>("SELECT * FROM jobs WHERE id = ?");
  }

  insertMany(jobs: readonly NewJob[]): Promise<readonly Enqueued[]> {
    return this.context.write(() => this.#enqueue.insertAll(jobs));
  }

  get(id: string): Promise<Job | null> {
    return this.#withRow(id, toJob);
  }

  detail(id: string): Promise<JobDetail | null> {
    return this.#withRow(id, (row) => this.#history.detail(row));
  }

  payload(id: string): Promise<string | null> {
    return this.#withRow(id, (row) => this.#history.payload(row.id));
  }

  result(id: string): Promise<string | null> {
    return this.#withRow(id, (row) => this.#history.result(row.id));
  }

  async attempts(id: string): Promise<readonly Attempt[]> {
    return (await this.#withRow(id, (row) => this.#history.attempts(row))) ?? [];
  }

  async logs(id: string, afterSeq: number, limit: number): Promise<readonly LogLine[]> {
    return (await this.#withRow(id, (row) => this.#history.logs(row.id, afterSeq, limit))) ?? [];
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
    return this.context.read(() => this.finder.matching(query, queueGlobs, afterId, limit, examineAtMost));
  }

  cancel(id: string): Promise<JobChange> {
    return this.context.write(() => this.byHand.cancel(id));
  }

  revive(id: string): Promise<JobChange> {
    return this.context.write(() => this.byHand.revive(id));
  }

  reviveMany(filter: Omit<JobFilter, "state">, by: Instant, limit: number): Promise<number> {
    return this.context.write(() => {
      const ids = this.finder.deadBy(filter, by, limit);
      // One that depends on another one comes behind it.
      for (const id of ids.toSorted((a, b) => Number(a) - Number(b))) this.byHand.revive(id);
      return ids.length;
    });
  }

  runNow(id: string): Promise<JobChange> {
    return this.context.write(() => this.byHand.runNow(id));
  }

  delete(id: string, force: boolean): Promise<JobChange> {
    return this.context.write(() => this.byHand.delete(id, force));
  }

  #withRow<T>(id: string, read: (row: JobRow) => T): Promise<T | null> {
    return this.context.read(() => {
      const key = rowId(id);
      const row = key === null ? undefined : this.#get.get(key);
      return row === undefined ? null : read(row);
    });
  }
}
