import type { JobCursor } from "../../jobs.js";
import type { Connection } from "../connection.js";
import type { JobRow } from "../../rows.js";
import { allOf, condition, type Condition } from "../../job-search/condition.js";
import { behind, placeOf, upTo, type Place } from "../../job-search/order.js";
import type { Plan } from "./plan.js";

/** A part of a plan's candidates: behind one place and up to another, `null` where it is open. */
export interface Slice {
  readonly after: JobCursor | null;
  readonly last: JobCursor | null;
}

/** Reads candidates of one plan, and those of them that match. */
export class Candidates {
  constructor(
    private readonly db: Connection,
    private readonly plan: Plan,
  ) {}

  /** The candidate that is `size` places behind `after`; `null` when there are not so many. */
  nth(after: JobCursor | null, size: number): Place | null {
    const { sql, values } = this.#select("jobs.*", { after, last: null }, [], "ordered");
    const row = this.db.prepare<unknown[], JobRow>(`${sql} LIMIT 1 OFFSET ?`).get(...values, size - 1);
    return row === undefined ? null : placeOf(row, this.plan.order);
  }

  /** Those that match, in order. */
  matching(slice: Slice, limit: number): JobRow[] {
    const { sql, values } = this.#select("jobs.*", slice, [this.plan.rest], "ordered");
    return this.db.prepare<unknown[], JobRow>(`${sql} LIMIT ?`).all(...values, limit);
  }

  /** How many match, counted to `limit`. */
  countMatching(slice: Slice, limit: number): number {
    return this.#count(this.#select("1", slice, [this.plan.rest], "unordered"), limit);
  }

  /** How many of the slice were looked at, as far as the asker may know; `size` when that was all of them. */
  examined(slice: Slice, size: number | null): number {
    const { covered } = this.plan;
    if (size !== null && covered.length === 0) return size;
    return this.#count(this.#select("1", slice, covered, "unordered"), Number.MAX_SAFE_INTEGER);
  }

  #count({ sql, values }: Condition, limit: number): number {
    const text = `SELECT count(*) FROM (${sql} LIMIT ?)`;
    return (
      this.db
        .prepare<unknown[], number>(text)
        .pluck()
        .get(...values, limit) ?? 0
    );
  }

  #select(
    columns: string,
    { after, last }: Slice,
    more: readonly Condition[],
    ordering: "ordered" | "unordered",
  ): Condition {
    const { order, source } = this.plan;
    const where = allOf([
      source.where,
      ...(after === null ? [] : [behind(order, source, after)]),
      ...(last === null ? [] : [upTo(order, source, last)]),
      ...more,
    ]);
    const sorted =
      order.column === "id" ? "" : `${source.instant ?? `jobs.${order.column}`} ${order.direction}, `;
    const orderBy = ordering === "ordered" ? `ORDER BY ${sorted}${source.id} ${order.direction}` : "";
    return condition(
      `SELECT ${columns} FROM ${source.from.sql} WHERE ${where.sql} ${orderBy}`,
      ...source.from.values,
      ...where.values,
    );
  }
}
