import { allOf, type Condition } from "../../job-search/condition.js";
import { LaneCounts, type LaneCountRow } from "../../job-search/lane-counts.js";
import type { Connection } from "../connection.js";

export function readLaneCounts(db: Connection, lanes: readonly Condition[]): LaneCounts {
  const { sql, values } = allOf(lanes);
  return new LaneCounts(
    db
      .prepare<unknown[], LaneCountRow>(
        `SELECT state, sum(n) AS total, sum(iif(${sql}, n, 0)) AS matching FROM counts GROUP BY state`,
      )
      .all(...values),
  );
}
