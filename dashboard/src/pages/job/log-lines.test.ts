import { describe, expect, it } from "vitest";
import type { LogLineView } from "../../api/types.js";
import { byAttempt, logFilterOf, logText, shownLines } from "./log-lines.js";

const line = (seq: number, attempt: number, level: LogLineView["level"]): LogLineView => ({
  seq,
  attempt,
  level,
  at: "2026-01-05T00:00:00.000Z",
  message: `line ${seq}\nmore`,
});
const lines = [line(1, 1, "debug"), line(2, 1, "error"), line(3, 2, "info"), line(4, 2, "warn")];

describe("log lines", () => {
  it("are those of a level and of worse ones", () => {
    const seqs = (level: LogLineView["level"], attempt: number | null) =>
      shownLines(lines, { level, attempt }).map(({ seq }) => seq);
    expect(seqs("debug", null)).toEqual([1, 2, 3, 4]);
    expect(seqs("warn", null)).toEqual([2, 4]);
    expect(seqs("info", 2)).toEqual([3, 4]);
  });

  it("stand with those of their attempt", () => {
    expect(byAttempt(lines).map(({ attempt, lines: { length } }) => [attempt, length])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it("are copied with their line breaks", () => {
    expect(logText(lines.slice(3))).toBe("2026-01-05T00:00:00.000Z WARN  #2 line 4\nmore\n");
  });

  it("are filtered by the address, as far as it can be understood", () => {
    expect(logFilterOf(new URLSearchParams("level=warn&attempt=3"))).toEqual({ level: "warn", attempt: 3 });
    expect(logFilterOf(new URLSearchParams("level=<b>&attempt=-1"))).toEqual({
      level: "debug",
      attempt: null,
    });
    expect(logFilterOf(new URLSearchParams(""))).toEqual({ level: "debug", attempt: null });
  });
});
