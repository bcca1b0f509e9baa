import type { DeadGroup, DeadGroupFilter, DeadGroupOrder, DeadStore } from "../dead.js";
import type { SqliteContext } from "./context.js";
import { allOf, condition } from "../job-search/condition.js";
import { globs } from "./job-search/term-conditions.js";

/** The indexes are named: SQLite, which does not know how many groups there are, need not guess. */
const ORDERS: Readonly<Record<DeadGroupOrder, { readonly index: string; readonly by: string }>> = {
  count: { index: "dead_groups_count", by: "n DESC, id DESC" },
  latest: { index: "dead_groups_latest", by: "last_at DESC, id DESC" },
};

type GroupRow = Omit<DeadGroup, "latestJobId"> & { readonly latestJobId: number };

export class SqliteDead implements DeadStore {
  constructor(private readonly context: SqliteContext) {}

  groups(
    { queue, name }: DeadGroupFilter,
    queueGlobs: readonly string[] | null,
    order: DeadGroupOrder,
    limit: number,
  ): Promise<readonly DeadGroup[]> {
    const { index, by } = ORDERS[order];
    const where = allOf([
      ...(queue === undefined ? [] : [condition("queue = ?", queue)]),
      ...(name === undefined ? [] : [condition("name = ?", name)]),
      ...(queueGlobs === null ? [] : [globs("queue", queueGlobs)]),
    ]);
    return this.context.read(() =>
      this.context.db
        .prepare<unknown[], GroupRow>(
          `SELECT fingerprint, queue, name, type, message, n AS count, last_at AS lastAt,
             (SELECT died_at FROM dead_jobs WHERE group_id = dead_groups.id ORDER BY died_at LIMIT 1) AS firstAt,
             (SELECT job_id FROM dead_jobs WHERE group_id = dead_groups.id
              ORDER BY died_at DESC, job_id DESC LIMIT 1) AS latestJobId
           FROM dead_groups INDEXED BY ${index} WHERE ${where.sql} ORDER BY ${by} LIMIT ?`,
        )
        .all(...where.values, limit)
        .map((row) => ({ ...row, latestJobId: String(row.latestJobId) })),
    );
  }
}
