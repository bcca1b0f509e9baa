import { describe, expect, test } from "vitest";
import { T0 } from "../../../test/support/fake-clock.js";
import type { Facts } from "./facts.js";
import { evaluate, firstOfEachCode } from "./findings.js";
import { counted, lasting, sized } from "./words.js";

const MIB = 1024 * 1024;

/** Facts of which nothing is to be said. */
const CALM: Facts = {
  now: T0,
  queues: [],
  pending: [],
  workers: [],
  silentWorkers: [],
  recent: [],
  lastHour: [],
  dayBefore: [],
  stoppedSchedules: [],
  dueSchedules: [],
  operations: [],
  storage: [
    { file: "db", bytes: 1e12 },
    { file: "wal", bytes: 1e9 },
  ],
  disk: { freeBytes: 512 * MIB, totalBytes: 1e12 },
};

describe("findings", () => {
  test("about calm facts are none, and so where the disk is not known", () => {
    expect(evaluate(CALM)).toEqual({ at: T0, findings: [] });
    expect(evaluate({ ...CALM, disk: null }).findings).toEqual([]);
  });

  test.each([
    [512 * MIB - 1, "warning", "536 MB"],
    [64 * MIB, "warning", "67 MB"],
    [64 * MIB - 1, "critical", "67 MB"],
    [0, "critical", "0 MB"],
  ])("disk_low: with %i bytes left it is %s", (freeBytes, severity, text) => {
    const { findings } = evaluate({ ...CALM, disk: { freeBytes, totalBytes: 1e12 } });
    expect(findings).toMatchObject([
      { code: "disk_low", severity, freeBytes, totalBytes: 1e12, audience: "all queues" },
    ]);
    expect(findings[0]?.detail).toContain(text);
  });

  test("wal_large: above a gigabyte", () => {
    const { findings } = evaluate({ ...CALM, storage: [{ file: "wal", bytes: 1e9 + 1 }] });
    expect(findings).toMatchObject([
      { code: "wal_large", severity: "warning", bytes: 1e9 + 1, audience: "all queues" },
    ]);
  });

  test("of each code are bounded, whatever comes in between", () => {
    const disk = { freeBytes: 0, totalBytes: 1 };
    const { findings } = evaluate({ ...CALM, disk, storage: [{ file: "wal", bytes: 2e9 }] });
    const many = [...findings, ...findings, ...findings];
    expect(firstOfEachCode(many, 2)).toEqual({ findings: [...findings, ...findings], more: true });
    expect(firstOfEachCode(many, 3)).toEqual({ findings: many, more: false });
  });
});

describe("words", () => {
  test("count, last and size", () => {
    expect([counted(0, "job"), counted(1, "job"), counted(2, "job")]).toEqual(["0 jobs", "1 job", "2 jobs"]);
    expect([999, 1_000, 119_999, 3_600_000, 49 * 3_600_000].map(lasting)).toEqual([
      "less than a second",
      "1 second",
      "1 minute",
      "1 hour",
      "2 days",
    ]);
    expect([1e6, 1e9 - 1, 1.25e9].map(sized)).toEqual(["1 MB", "999 MB", "1.3 GB"]);
  });
});
