import type { SuggestionStore } from "../suggestions.js";
import type { PostgresContext } from "./context.js";
import { likePatterns } from "./like-patterns.js";
import { Statement } from "./statement.js";

/** No name and no key holds it, so whatever begins with a prefix is smaller than the prefix and this. */
const LAST = "\u{10ffff}";

type Values = [from: string, to: string, queuePatterns: readonly string[] | null, limit: number];

export class PostgresSuggestions implements SuggestionStore {
  readonly #queues;
  readonly #names;
  readonly #tags;
  readonly #schedules;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    const nextOf = (table: string, column: string) => (after: string) =>
      `(SELECT ${column} AS text FROM ${s}.${table} WHERE ${column} ${after} AND ${column} < $2
        ORDER BY ${column} LIMIT 1)`;
    const nextOfLanes = nextOf("lanes", "queue");
    const nextOfQueues = nextOf("queues", "name");
    this.#queues = walk(
      (after) => `(SELECT min(text) FROM (${nextOfLanes(after)} UNION ALL ${nextOfQueues(after)}) AS next)`,
    );
    this.#tags = walk(nextOf("job_tags", "tag"));
    // There are lanes for each queue and name, whatever the number of jobs.
    this.#names = new Statement<Values, { text: string }>(
      `SELECT DISTINCT name AS text FROM ${s}.lanes
       WHERE name >= $1 AND name < $2 AND ($3::text[] IS NULL OR queue LIKE ANY ($3)) ORDER BY name LIMIT $4`,
    );
    this.#schedules = new Statement<Values, { text: string }>(
      `SELECT key AS text FROM ${s}.schedules CROSS JOIN LATERAL ${s}.json_at(job, '{.queue}') AS queue
       WHERE key >= $1 AND key < $2 AND ($3::text[] IS NULL OR queue.value LIKE ANY ($3)) ORDER BY key LIMIT $4`,
    );
  }

  queues(prefix: string, globs: readonly string[] | null, limit: number): Promise<readonly string[]> {
    return this.#find(this.#queues, prefix, globs, limit);
  }

  names(prefix: string, globs: readonly string[] | null, limit: number): Promise<readonly string[]> {
    return this.#find(this.#names, prefix, globs, limit);
  }

  tags(prefix: string, limit: number): Promise<readonly string[]> {
    return this.#find(this.#tags, prefix, null, limit);
  }

  schedules(prefix: string, globs: readonly string[] | null, limit: number): Promise<readonly string[]> {
    return this.#find(this.#schedules, prefix, globs, limit);
  }

  async #find(
    statement: Statement<Values, { text: string }>,
    prefix: string,
    globs: readonly string[] | null,
    limit: number,
  ): Promise<readonly string[]> {
    // No text of PostgreSQL has a NUL.
    if (prefix.includes("\0")) return [];
    const patterns = globs === null ? null : likePatterns(globs);
    const rows = await this.context.read((db) => statement.all(db, prefix, prefix + LAST, patterns, limit));
    return rows.map(({ text }) => text);
  }
}

/** Walks over the different texts of an index: one step down for each, however many rows have it. */
function walk(next: (after: string) => string): Statement<Values, { text: string }> {
  // The walk is in order, and ends when enough was found: sorting it would make it go to the end.
  return new Statement(
    `WITH RECURSIVE walk AS (
       SELECT ${next(">= $1")} AS text
       UNION ALL
       SELECT ${next("> walk.text")} FROM walk WHERE text IS NOT NULL
     )
     SELECT text FROM walk WHERE text IS NOT NULL AND ($3::text[] IS NULL OR text LIKE ANY ($3)) LIMIT $4`,
  );
}
