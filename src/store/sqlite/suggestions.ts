import { coversQueue } from "../../core/queue-globs.js";
import type { SuggestionStore } from "../suggestions.js";
import type { Connection } from "./connection.js";
import type { SqliteContext } from "./context.js";

/** No name and no key holds it, so whatever begins with a prefix is smaller than the prefix and this. */
const LAST = "\u{10ffff}";

const nextTag = (after: ">" | ">=") => `SELECT min(tag) FROM job_tags WHERE tag ${after} @from`;

const nextQueue = (after: ">" | ">=") => `SELECT min(name) FROM (
  SELECT min(queue) AS name FROM counts WHERE queue ${after} @from
  UNION ALL SELECT min(name) FROM queues WHERE name ${after} @from)`;

/** Over the kept counts: there are some for each queue and name, whatever the number of jobs. */
const LANES =
  "SELECT DISTINCT name, queue FROM counts WHERE name >= @from AND name < @to ORDER BY name, queue";

const SCHEDULES = `SELECT key, job ->> 'queue' FROM schedules WHERE key >= @from AND key < @to ORDER BY key`;

type Row = readonly [name: string, queue: string];
interface Range {
  readonly from: string;
  readonly to: string;
}

export class SqliteSuggestions implements SuggestionStore {
  readonly #queues;
  readonly #tags;
  readonly #lanes;
  readonly #schedules;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#queues = new Steps(db, nextQueue);
    this.#tags = new Steps(db, nextTag);
    this.#lanes = db.prepare<[Range], [name: string, queue: string]>(LANES).raw();
    this.#schedules = db.prepare<[Range], [key: string, queue: string]>(SCHEDULES).raw();
  }

  queues(prefix: string, globs: readonly string[] | null, limit: number): Promise<readonly string[]> {
    return this.context.read(() => {
      const found: string[] = [];
      for (const queue of this.#queues.from(prefix)) {
        if (coversQueue(globs, queue)) found.push(queue);
        if (found.length === limit) break;
      }
      return found;
    });
  }

  names(prefix: string, globs: readonly string[] | null, limit: number): Promise<readonly string[]> {
    return this.context.read(() => firstOf(this.#lanes.iterate(rangeOf(prefix)), globs, limit));
  }

  tags(prefix: string, limit: number): Promise<readonly string[]> {
    return this.context.read(() => {
      const found: string[] = [];
      for (const tag of this.#tags.from(prefix)) {
        found.push(tag);
        if (found.length === limit) break;
      }
      return found;
    });
  }

  schedules(prefix: string, globs: readonly string[] | null, limit: number): Promise<readonly string[]> {
    return this.context.read(() => firstOf(this.#schedules.iterate(rangeOf(prefix)), globs, limit));
  }
}

/** Walks over the different texts of an index: one step down for each, however many rows have it. */
class Steps {
  readonly #first;
  readonly #next;

  constructor(db: Connection, next: (after: ">" | ">=") => string) {
    const prepare = (after: ">" | ">=") => {
      const sql = next(after);
      return db.prepare<[{ from: string }], string | null>(sql).pluck();
    };
    this.#first = prepare(">=");
    this.#next = prepare(">");
  }

  *from(prefix: string): Generator<string> {
    let text = this.#first.get({ from: prefix });
    while (text?.startsWith(prefix) === true) {
      yield text;
      text = this.#next.get({ from: text });
    }
  }
}

function rangeOf(prefix: string): Range {
  return { from: prefix, to: prefix + LAST };
}

/** The first names that differ and have a queue which is covered. */
function firstOf(rows: Iterable<Row>, globs: readonly string[] | null, limit: number): string[] {
  const found: string[] = [];
  for (const [name, queue] of rows) {
    if (name === found.at(-1) || !coversQueue(globs, queue)) continue;
    found.push(name);
    if (found.length === limit) break;
  }
  return found;
}
