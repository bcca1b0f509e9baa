import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ERRORS, FAULT_CODES, type ErrorCode } from "../../src/core/errors.js";

const TEXT = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");

describe("docs/errors.md", () => {
  test("lists every error with its status, and no other", () => {
    const documented = [...TEXT.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| (yes|no) +\|/gm)].map((row) => [
      row[1],
      Number(row[2]),
      row[3] === "yes",
    ]);
    const codes = Object.keys(ERRORS) as ErrorCode[];
    const real = codes.map((code) => [code, ERRORS[code].status, ERRORS[code].retryable]);
    expect(documented.sort()).toEqual(real.sort());
  });

  test("lists every code of a single fault, and no other", () => {
    const faults = TEXT.slice(TEXT.indexOf("## Codes of single faults"));
    const documented = [...faults.matchAll(/^\| `(\w+)` +\|/gm)].map(([, code]) => code);
    expect(documented.sort()).toEqual([...FAULT_CODES].sort());
  });
});
