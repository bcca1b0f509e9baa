import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maskVarying } from "./mask-varying.js";

/** What errors of one kind differ in, by the words that stand around it. */
const VARYING: Readonly<Record<string, fc.Arbitrary<string>>> = {
  number: fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom("1,234.50", "-0", "1e-7", "+3"),
  ),
  hexadecimal: fc.stringMatching(/^[0-9a-f]{8,64}$/),
  uuid: fc.uuid(),
  id: fc
    .stringMatching(/^[A-Za-z0-9]{16,40}$/)
    .filter((text) => /\d/.test(text) && /[g-z]/i.test(text) && !/^[A-Za-z]{1,10}\d{1,5}$/.test(text)),
  email: fc.emailAddress().filter((text) => /^[\w.+%-]{1,64}@/.test(text)),
  quoted: fc
    .string({ unit: "binary", maxLength: 60 })
    .filter((text) => !text.includes('"'))
    .map((text) => `"${text}"`),
  "IPv4 address": fc.ipV4(),
  "IPv6 address": fc.ipV6().filter((text) => /\d/.test(text) && !text.includes(".")),
  time: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((at) => at.toISOString()),
  path: fc.stringMatching(/^(?:\/|\.\/|~\/|C:\\)[\w/.-]{1,60}$/).filter((text) => !text.startsWith("//")),
  "URL's path and query": fc
    .webPath()
    .filter((path) => path.length > 1 && !/[(),;'`]/.test(path))
    .map((path) => `https://api.example.com${path}?token=1`),
};

const words = fc.constantFrom(
  "",
  "could not connect",
  "no such row",
  "don't know",
  "Größe ist falsch",
  "Ошибка",
);

describe("maskVarying", () => {
  test.each(Object.keys(VARYING))("messages that differ only in a %s become the same", (what) => {
    const varying = VARYING[what]!;
    fc.assert(
      fc.property(words, words, varying, varying, (before, after, a, b) => {
        expect(maskVarying(`${before} ${a} ${after}`)).toBe(maskVarying(`${before} ${b} ${after}`));
      }),
      { seed: 20260105, numRuns: 300 },
    );
  });

  test.each([
    ["connect to 10.0.0.3:5432 refused", "connect to <ip>:<n> refused"],
    ["connect ECONNREFUSED fe80::1ff:fe23:4567:890a", "connect ECONNREFUSED <ip>"],
    ["No such customer: cus_9s6XKzkNRiz8i3", "No such customer: cus_<n>"],
    ['relation "users" does not exist', "relation <text> does not exist"],
    ["can't read 'x', and they don't know", "can't read <text>, and they don't know"],
    ["ENOENT: open '/srv/a.txt' at /srv/b.js:10:5", "ENOENT: open <text> at <path>:<n>:<n>"],
    [
      "GET https://ada:secret@api.example.com:8443/v1/users/12?token=abc said 503",
      "GET https://api.example.com:<n>/<path> said <n>",
    ],
    ["timed out after 1.5s, then 30000 ms", "timed out after <n>s, then <n> ms"],
    ["user ada@example.com is unknown", "user <email> is unknown"],
    ["2026-01-05T09:00:00.000Z and 12:30:45", "<time> and <time>"],
    [String.raw`C:\Users\ada\x.txt is missing`, "<path> is missing"],
    ["std::vector, text/html and/or utf8", "std::vector, text/html and/or utf<n>"],
    ["two\n  lines\t", "two lines"],
    ["", ""],
  ])("%j", (message, masked) => {
    expect(maskVarying(message)).toBe(masked);
  });

  test("different words stay different", () => {
    const messages = [
      "no such row",
      "no such table",
      "could not connect",
      "could not connect to host",
      "Ошибка",
    ];
    expect(new Set(messages.map(maskVarying)).size).toBe(messages.length);
  });

  test("takes any text, and gives a short one that every store keeps", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 6_000 }), (message) => {
        const masked = maskVarying(message);
        expect(masked.length).toBeLessThanOrEqual(1_024);
        expect(masked.isWellFormed()).toBe(true);
        expect(masked).not.toContain("\0");
      }),
      { seed: 20260105 },
    );
  });
});
