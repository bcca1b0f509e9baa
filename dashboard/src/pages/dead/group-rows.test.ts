import { describe, expect, it } from "vitest";
import type { DeadGroupView } from "../../api/types.js";
import { arrange, groupQuery } from "./group-rows.js";

const group = (fingerprint: string, count: number, more: Partial<DeadGroupView> = {}): DeadGroupView => ({
  fingerprint,
  count,
  queue: "emails",
  name: "email.send",
  type: "Error",
  message: "no",
  firstAt: "2026-01-05T00:00:00.000Z",
  lastAt: "2026-01-05T00:00:00.000Z",
  latestJobId: "1",
  ...more,
});

describe("the rows of dead groups", () => {
  it("stay where they are when the counts change, and say how many are new", () => {
    const { rows, fresh } = arrange(
      [group("a", 9), group("b", 5)],
      [group("c", 30), group("b", 20), group("a", 9)],
      true,
    );
    expect(rows.map(({ fingerprint, count }) => [fingerprint, count])).toEqual([
      ["a", 9],
      ["b", 20],
    ]);
    expect(fresh).toBe(1);
  });

  it("stay when their last job is gone", () => {
    expect(arrange([group("a", 9)], [], true).rows).toEqual([group("a", 0)]);
  });

  it("keep their count where not all groups were told", () => {
    expect(arrange([group("a", 9)], [], false).rows).toEqual([group("a", 9)]);
  });

  it("tell the same error of two queues apart", () => {
    const other = group("a", 3, { queue: "images" });
    expect(arrange([group("a", 9)], [other, group("a", 8)], true)).toEqual({
      rows: [group("a", 8)],
      fresh: 1,
    });
  });

  it("have a filter of their jobs, with quotes where they are needed", () => {
    expect(groupQuery(group("00ff", 1, { name: "a b" }))).toBe(
      'state:dead fingerprint:00ff queue:emails name:"a b"',
    );
  });
});
