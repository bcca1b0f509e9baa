import { describe, expect, it } from "vitest";
import type { JobState, JobView } from "../../api/types.js";
import { advance, NOTHING_HELD, shown, type HeldRows, type ListAnswer } from "./held-rows.js";

function job(id: string, state: JobState = "pending"): JobView {
  const at = "2026-01-05T00:00:00.000Z";
  return {
    id,
    queue: "default",
    name: "a",
    state,
    priority: 1,
    attempt: 0,
    maxAttempts: 20,
    createdAt: at,
    runAt: at,
    startedAt: null,
    finishedAt: null,
    workerId: null,
    token: null,
    leaseExpiresAt: null,
  };
}

function answer(items: readonly JobView[], left: readonly JobView[] = [], list = "a"): ListAnswer {
  const page = { items: [...items], nextCursor: null, scan: null };
  return { list, state: "pending", page, left, free: false };
}

function ids({ rows }: HeldRows): string[] {
  return rows.map((row) => (row.gone ? `(${row.job.id})` : row.job.id));
}

const first = advance(NOTHING_HELD, answer([job("2"), job("1")]));

describe("rows on the screen", () => {
  it("come with the first answer, whatever the reader does", () => {
    expect(ids(first)).toEqual(["2", "1"]);
  });

  it("follow the list while the reader is elsewhere", () => {
    expect(ids(advance(first, { ...answer([job("3"), job("2")]), free: true }))).toEqual(["3", "2"]);
  });

  it("stay where they are while the reader is at work, and new ones are counted", () => {
    const held = advance(first, answer([job("4"), job("3"), job("2")], [job("1")]));
    expect(ids(held)).toEqual(["2", "1"]);
    // The first one only went to the next page.
    expect([held.fresh, held.gone]).toEqual([2, 0]);
  });

  it("tell their new state, and that the list no longer has them", () => {
    const held = advance(first, answer([job("2")], [job("1", "running")]));
    expect(ids(held)).toEqual(["2", "(1)"]);
    expect(held.rows[1]?.job.state).toBe("running");
    expect([held.fresh, held.gone]).toEqual([0, 1]);
  });

  it("stay when they are deleted, as they were", () => {
    const held = advance(first, answer([job("2")]));
    expect(ids(held)).toEqual(["2", "(1)"]);
    expect(ids(advance(held, answer([job("2")])))).toEqual(["2", "(1)"]);
    expect(held.rows.map(({ deleted }) => deleted)).toEqual([false, true]);
  });

  it("change at once when another list is asked for", () => {
    expect(ids(advance(first, answer([job("9")], [], "b")))).toEqual(["9"]);
  });

  it("are those of the newest answer when the reader asks for them", () => {
    const latest = answer([job("4"), job("2")], [job("1")]);
    expect(ids(shown(latest))).toEqual(["4", "2"]);
  });
});
