import { allOf, condition, type Condition } from "../../job-search/condition.js";
import { behind, placeOf, type Place } from "../../job-search/order.js";
import type { JobCursor } from "../../jobs.js";
import type { JobRow } from "../../rows.js";
import type { Queryable } from "../connection.js";
import { numbered } from "./numbered.js";
import type { Plan } from "./plan.js";

/** A candidate, and how many there are in its slice up to it; how many of these the asker may know of. */
export interface Candidate extends JobRow {
  readonly place: number;
  readonly examined: number;
}

/** Where a slice ends. */
export interface SliceEnd {
  /** `null`: at the end of the candidates. */
  readonly last: Place | null;
  readonly examined: number;
}

/**
 * Reads slices of a plan's candidates, each with one statement. A slice is cut by the index alone, and only what is
 * in it is asked the rest: so a statement costs by the size of its slice, whatever PostgreSQL believes about the rest.
 */
export class Candidates {
  constructor(private readonly plan: Plan) {}

  /** The first `size` candidates behind a place, and up to `limit` of them that match, in order. */
  async slice(
    db: Queryable,
    after: JobCursor | null,
    size: number,
    limit: number,
  ): Promise<{ readonly matches: readonly Candidate[]; readonly end: SliceEnd }> {
    const slice = this.#slice(after, size);
    const { rest } = this.plan;
    const text = `${slice.sql}
      (SELECT jobs.*, false AS is_end FROM slice AS jobs WHERE ${rest.sql} ORDER BY place LIMIT ?)
      UNION ALL (SELECT jobs.*, true FROM slice AS jobs ORDER BY place DESC LIMIT 1)`;
    const { rows } = await db.query(numbered(text), [...slice.values, ...rest.values, limit]);
    const found = rows as (Candidate & { readonly is_end: boolean })[];
    const end = found.pop();
    return { matches: found, end: this.#end(end, size) };
  }

  /** As `slice`, but only how many match, counted to `limit`. */
  async count(
    db: Queryable,
    after: JobCursor | null,
    size: number,
    limit: number,
  ): Promise<{ readonly matching: number; readonly end: SliceEnd }> {
    const slice = this.#slice(after, size);
    const { rest } = this.plan;
    const text = `${slice.sql}
      SELECT slice.*,
        (SELECT count(*) FROM (SELECT 1 FROM slice AS jobs WHERE ${rest.sql} LIMIT ?) AS found) AS matching
      FROM slice ORDER BY place DESC LIMIT 1`;
    const { rows } = await db.query(numbered(text), [...slice.values, ...rest.values, limit]);
    const [end] = rows as (Candidate & { readonly matching: number })[];
    return { matching: end?.matching ?? 0, end: this.#end(end, size) };
  }

  #end(end: Candidate | undefined, size: number): SliceEnd {
    if (end === undefined) return { last: null, examined: 0 };
    return { last: end.place < size ? null : placeOf(end, this.plan.order), examined: end.examined };
  }

  #slice(after: JobCursor | null, size: number): Condition {
    const { order, source, covered } = this.plan;
    const where = allOf([source.where, ...(after === null ? [] : [behind(order, source, after)])]);
    const { direction } = order;
    const by = (id: string, instant: string) =>
      order.column === "id" ? `${id} ${direction}` : `${instant} ${direction}, ${id} ${direction}`;
    return condition(
      `WITH cut AS MATERIALIZED (
         SELECT jobs.* FROM ${source.from.sql} WHERE ${where.sql}
         ORDER BY ${by(source.id, source.instant ?? `jobs.${order.column}`)} LIMIT ?
       ), slice AS MATERIALIZED (
         SELECT jobs.*, row_number() OVER way AS place, count(*) FILTER (WHERE ${covered.sql}) OVER way AS examined
         FROM cut AS jobs WINDOW way AS (ORDER BY ${by("jobs.id", `jobs.${order.column}`)})
       )`,
      ...source.from.values,
      ...where.values,
      size,
      ...covered.values,
    );
  }
}
