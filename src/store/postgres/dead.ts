import type { DeadGroup, DeadGroupFilter, DeadGroupOrder, DeadStore } from "../dead.js";
import type { PostgresContext } from "./context.js";
import { likePatterns } from "./like-patterns.js";
import { Statement } from "./statement.js";

type GroupRow = Omit<DeadGroup, "latestJobId"> & { readonly latestJobId: number };

const ORDERS = { count: "n DESC, id DESC", latest: "last_at DESC, id DESC" } as const satisfies Record<
  DeadGroupOrder,
  string
>;

export class PostgresDead implements DeadStore {
  readonly #groups;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    const groups = (order: DeadGroupOrder) =>
      new Statement<
        [queue: string | null, name: string | null, queuePatterns: readonly string[] | null, limit: number],
        GroupRow
      >(
        `SELECT fingerprint, queue, name, type, message, n AS count, last_at AS "lastAt",
           (SELECT died_at FROM ${s}.dead_jobs WHERE group_id = dead_groups.id
            ORDER BY died_at LIMIT 1) AS "firstAt",
           (SELECT job_id FROM ${s}.dead_jobs WHERE group_id = dead_groups.id
            ORDER BY died_at DESC, job_id DESC LIMIT 1) AS "latestJobId"
         FROM ${s}.dead_groups WHERE ($1::text IS NULL OR queue = $1) AND ($2::text IS NULL OR name = $2)
           AND ($3::text[] IS NULL OR queue LIKE ANY($3)) ORDER BY ${ORDERS[order]} LIMIT $4`,
      );
    this.#groups = { count: groups("count"), latest: groups("latest") };
  }

  groups(
    { queue, name }: DeadGroupFilter,
    queueGlobs: readonly string[] | null,
    order: DeadGroupOrder,
    limit: number,
  ): Promise<readonly DeadGroup[]> {
    const patterns = queueGlobs === null ? null : likePatterns(queueGlobs);
    return this.context.read(async (db) =>
      (await this.#groups[order].all(db, queue ?? null, name ?? null, patterns, limit)).map((row) => ({
        ...row,
        type: JSON.parse(row.type) as string,
        message: JSON.parse(row.message) as string,
        latestJobId: String(row.latestJobId),
      })),
    );
  }
}
