import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kindOfError } from "./error-fingerprint.js";
import type { StoredError } from "./stored-error.js";

const ERROR: StoredError = { type: "TypeError", message: "user 17 is unknown", stack: null };

function withStack(...lines: string[]): StoredError {
  return { ...ERROR, stack: ["TypeError: user 17 is unknown", ...lines].join("\n") };
}

function fingerprintOf(error: StoredError | null): string {
  return kindOfError(error).fingerprint;
}

describe("kindOfError", () => {
  test("is short, shown without what varies, and stays the same from release to release", () => {
    // Kept in databases: another value here needs a migration.
    expect(kindOfError(ERROR)).toEqual({
      fingerprint: "8e5b961b1708412f",
      type: "TypeError",
      message: "user <n> is unknown",
    });
  });

  test("the same for messages that differ only in what varies, different for different types", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer(), fc.integer(), (type, other, a, b) => {
        const error = { type, message: `user ${a} is unknown`, stack: null };
        expect(fingerprintOf({ ...error, message: `user ${b} is unknown` })).toBe(fingerprintOf(error));
        if (other !== type) expect(fingerprintOf({ ...error, type: other })).not.toBe(fingerprintOf(error));
      }),
      { seed: 20260105 },
    );
  });

  test("an error that nobody kept is a kind of its own", () => {
    expect(kindOfError(null)).toMatchObject({ type: "Unknown", message: "No error was kept" });
  });

  test("takes anything", () => {
    const text = fc.string({ unit: "binary", maxLength: 3_000 });
    fc.assert(
      fc.property(text, text, fc.option(text), (type, message, stack) => {
        expect(fingerprintOf({ type, message, stack })).toMatch(/^[0-9a-f]{16}$/);
      }),
      { seed: 20260105 },
    );
  });

  const SENT = withStack("    at Mailer.send (/app/dist/mail.js:10:5)", "    at run (/app/dist/run.js:1:2)");

  test.each([
    ["another line and column", ["    at Mailer.send (/app/dist/mail.js:99:1)"]],
    ["another directory", ["    at Mailer.send (file:///srv/releases/7/mail.js:10:5)"]],
    ["an await before it", ["    at async Mailer.send (/app/dist/mail.js:10:5)"]],
    ["Windows", [String.raw`    at Mailer.send (C:\app\dist\mail.js:10:5)`]],
    [
      "packages and the runtime above it",
      [
        "    at node:internal/process/task_queues:95:5",
        "    at new Promise (<anonymous>)",
        "    at Object.<anonymous> (/app/node_modules/smtp/index.js:1:2)",
        "    at async Promise.all (index 0)",
        "    at Mailer.send (/app/dist/mail.js:10:5)",
      ],
    ],
  ])("the same place in the program: %s", (_, lines) => {
    expect(fingerprintOf(withStack(...lines))).toBe(fingerprintOf(SENT));
  });

  test.each([
    ["another function", ["    at Mailer.close (/app/dist/mail.js:10:5)"]],
    ["another file", ["    at Mailer.send (/app/dist/sms.js:10:5)"]],
    ["no function", ["    at /app/dist/mail.js:10:5"]],
    ["none of its own", ["    at Object.<anonymous> (/app/node_modules/smtp/index.js:1:2)"]],
  ])("another place in the program: %s", (_, lines) => {
    expect(fingerprintOf(withStack(...lines))).not.toBe(fingerprintOf(SENT));
  });

  test("hashes in the names of bundles do not count", () => {
    const bundle = (hash: string) => withStack(`    at send (/app/dist/mail-${hash}.js:1:2)`);
    expect(fingerprintOf(bundle("4f3a9c1b"))).toBe(fingerprintOf(bundle("09e1d2c3")));
  });

  test("a traceback of Python: its innermost line outside of packages", () => {
    const traceback = (line: number, name: string) => ({
      ...ERROR,
      stack: [
        "Traceback (most recent call last):",
        `  File "/app/worker.py", line ${line}, in run`,
        "    handle(job)",
        `  File "/app/mail.py", line ${line}, in ${name}`,
        "    smtp.send()",
        '  File "/venv/lib/python3.12/site-packages/smtp.py", line 3, in send',
        "ValueError: user 17 is unknown",
      ].join("\n"),
    });
    expect(fingerprintOf(traceback(9, "send"))).toBe(fingerprintOf(traceback(3, "send")));
    expect(fingerprintOf(traceback(3, "close"))).not.toBe(fingerprintOf(traceback(3, "send")));
    expect(fingerprintOf(traceback(3, "send"))).not.toBe(fingerprintOf(ERROR));
  });
});

describe("hostile texts", () => {
  const patterns = [
    "a",
    "1",
    "1.",
    "'a ",
    '"',
    "“",
    "::",
    "a:",
    "1:",
    "/a",
    "a@",
    "@a.",
    "-",
    "f1",
    "http://",
    " ",
    "12-34-",
  ];

  test.each(patterns)("%j over and over is done", (pattern) => {
    const text = pattern.repeat(4_000_000);
    // Work that grows with a power of the length would never end.
    expect(fingerprintOf({ type: "E", message: text, stack: text })).toMatch(/^[0-9a-f]{16}$/);
  });
});
