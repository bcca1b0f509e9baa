import { describe, expect, it } from "vitest";
import { harmless, harmlessJson } from "./harmless.js";
import { tableOf, type Column } from "./table.js";
import { cutText, textWidth } from "./text-width.js";
import { durationText, exactDuration, relative } from "./time-text.js";

interface Row {
  readonly name: string;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "NAME", text: ({ name }) => name, least: 6, style: () => "red" },
  { title: "COUNT", text: ({ count }) => String(count), align: "right" },
  { title: "NOTE", text: ({ name }) => name, least: 4 },
];

describe("a table", () => {
  it("is aligned, cut to the terminal, and without blanks at the ends of lines", () => {
    const rows = [
      { name: "a-rather-long-name", count: 7 },
      { name: "жук", count: 1_000 },
    ];
    const text = tableOf(COLUMNS, rows, { columns: 30, colours: false });
    expect(text.split("\n")).toEqual([
      "NAME        COUNT  NOTE",
      "a-rather-…      7  a-rather-l…",
      "жук          1000  жук",
      "",
    ]);
    const [first, ...rest] = text.split("\n");
    expect(first).not.toContain("\u001b");
    for (const line of rest) expect(textWidth(line)).toBeLessThanOrEqual(30);
  });

  it("is coloured only where it may be", () => {
    const text = tableOf(COLUMNS, [{ name: "x", count: 1 }], { columns: 80, colours: true });
    expect(text).toContain("\u001b[31mx\u001b[39m");
  });

  it("counts wide characters as two", () => {
    expect(textWidth("漢字")).toBe(4);
    expect(cutText("漢字漢字", 5)).toBe("漢字…");
  });

  it("lets nothing through that a terminal obeys", () => {
    expect(harmless("\u001b[2J\u009b31m a\r\n\tb\u007f\u202ec\u2066\ud800")).toBe(
      "␛[2J\ufffd31m a   b␡\ufffdc\ufffd\ufffd",
    );
    const json = JSON.stringify({ "\u009b": "\u202e\u007f\u001b" });
    expect(harmlessJson(json)).toBe('{"\\u009b":"\\u202e\\u007f\\u001b"}');
    expect(JSON.parse(harmlessJson(json))).toEqual(JSON.parse(json));
  });
});

describe("times", () => {
  it("are told by their largest unit, and exactly", () => {
    expect([0, 999, 1_000, 90_000, 7_200_000, 200_000_000].map(durationText)).toEqual([
      "0ms",
      "999ms",
      "1s",
      "1m",
      "2h",
      "2d",
    ]);
    expect([0, 5_400_000, 1_500].map(exactDuration)).toEqual(["0ms", "1h30m", "1s500ms"]);
    const now = Date.parse("2026-01-05T09:00:00.000Z");
    expect(relative("2026-01-05T09:05:00.000Z", now)).toBe("in 5m");
    expect(relative("2026-01-05T08:00:00.000Z", now)).toBe("1h ago");
    expect(relative("2026-01-05T09:00:00.400Z", now)).toBe("now");
  });
});
