import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { KonveierError } from "../errors.js";
import { parseJobQuery } from "./parse.js";
import { printJobQuery } from "./print.js";
import { EVERY_JOB, resolveTimes, type JobQuery, type JobTerm } from "./query.js";

const HOUR = 3_600_000;

/** The refusal of a filter as "position code". */
function faultOf(text: string): string {
  try {
    parseJobQuery(text);
  } catch (error) {
    if (!(error instanceof KonveierError) || error.code !== "bad_filter") throw error;
    const [fault] = error.faults;
    expect(error.faults).toHaveLength(1);
    expect(fault?.pointer).toBe("/q");
    return `${fault?.position ?? "none"} ${fault?.code ?? ""}`;
  }
  throw new Error(`${text} was not refused`);
}

function detailOf(text: string): string {
  try {
    parseJobQuery(text);
    return "";
  } catch (error) {
    return (error as KonveierError).faults[0]?.detail ?? "";
  }
}

const text = (field: string, ...values: string[]) => ({ kind: "text", field, negated: false, values });
const json = (path: unknown[], operator: string, ...values: unknown[]) => ({
  kind: "json",
  document: "payload",
  path,
  operator,
  negated: false,
  values,
});
const word = (value: string) => ({ kind: "word", negated: false, value });

describe("a filter", () => {
  test.each<[string, unknown[]]>([
    ["", []],
    ["  \t ", []],
    ["queue:email", [text("queue", "email")]],
    ["queue:email*,x", [text("queue", "email*", "x")]],
    ["queue:a name:b queue:c", [text("queue", "a", "c"), text("name", "b")]],
    ["queue:a queue:a,a", [text("queue", "a")]],
    ["queue:a***b", [text("queue", "a*b")]],
    ["name:email:send.v2", [text("name", "email:send.v2")]],
    ["-tag:x tag:y", [{ ...text("tag", "x"), negated: true }, text("tag", "y")]],
    ["state:dead,cancelled", [{ kind: "state", negated: false, values: ["dead", "cancelled"] }]],
    ['key:"order, 42" id:7', [text("key", "order, 42"), text("id", "7")]],
    [String.raw`key:"a\"b\\c\d"`, [text("key", String.raw`a"b\cd`)]],
    ["worker:host-1:42 schedule:nightly/eu", [text("worker", "host-1:42"), text("schedule", "nightly/eu")]],
    ["fingerprint:8e5b961b1708412f", [text("fingerprint", "8e5b961b1708412f")]],
    [
      'error~timeout error~"reset by peer"',
      [{ kind: "error", negated: false, values: ["timeout", "reset by peer"] }],
    ],
    [
      "attempt>=3 attempt<10",
      [
        { kind: "number", field: "attempt", operator: ">=", negated: false, values: [3] },
        { kind: "number", field: "attempt", operator: "<", negated: false, values: [10] },
      ],
    ],
    [
      "priority=1,2 priority=3",
      [{ kind: "number", field: "priority", operator: "=", negated: false, values: [1, 2, 3] }],
    ],
    [
      "created>2h",
      [{ kind: "time", field: "created", operator: ">", negated: false, value: { fromNowMs: -2 * HOUR } }],
    ],
    [
      "created>-2h",
      [{ kind: "time", field: "created", operator: ">", negated: false, value: { fromNowMs: -2 * HOUR } }],
    ],
    [
      "run<=+30m",
      [{ kind: "time", field: "run", operator: "<=", negated: false, value: { fromNowMs: HOUR / 2 } }],
    ],
    [
      "finished<0s",
      [{ kind: "time", field: "finished", operator: "<", negated: false, value: { fromNowMs: 0 } }],
    ],
    [
      "started>=2026-01-05T10:00:00+01:00",
      [
        {
          kind: "time",
          field: "started",
          operator: ">=",
          negated: false,
          value: { instant: Date.UTC(2026, 0, 5, 9) },
        },
      ],
    ],
    ["payload.to=a@b.c", [json(["to"], "=", "a@b.c")]],
    ["payload.user.ids[0]=42", [json(["user", "ids", 0], "=", 42)]],
    ['payload.a=1,"1",true,null,-0', [json(["a"], "=", 1, "1", true, null, 0)]],
    ["payload=5 payload[1]!=x", [json([], "=", 5), json([1], "!=", "x")]],
    ["payload.a>1.5e1 payload.a>2", [json(["a"], ">", 15), json(["a"], ">", 2)]],
    ["payload.a~5,x", [json(["a"], "~", "5", "x")]],
    ['payload.a=""', [json(["a"], "=", "")]],
    ["result.größe=1", [{ ...json(["größe"], "=", 1), document: "result" }]],
    ["welcome", [word("welcome")]],
    ["welcome mail", [word("welcome"), word("mail")]],
    ["-welcome", [{ ...word("welcome"), negated: true }]],
    ["welcome*", [text("name", "welcome*")]],
    ["42", [text("id", "42")]],
    ['"42"', [word("42")]],
    ['"email:send"', [word("email:send")]],
    ["%", [word("%")]],
    ["'", [word("'")]],
    ["\\", [word("\\")]],
    ["or", [word("or")]],
    ["And ANDROID", [word("And"), word("ANDROID")]],
    ['"OR" -"(a)"', [word("OR"), { ...word("(a)"), negated: true }]],
    ["tag:OR key:(1)", [text("tag", "OR"), text("key", "(1)")]],
    ["payload.a(b=1", [json(["a(b"], "=", 1)]],
    ["a,b", [word("a,b")]],
  ])("%j is read", (given, terms) => {
    expect(parseJobQuery(given)).toEqual({ terms });
  });

  test.each([
    ["quue:email", "0 unknown_qualifier"],
    ["queue:a  Quue:b", "9 unknown_qualifier"],
    ["state:deda", "6 bad_value"],
    ["state:dead,done", "11 bad_value"],
    ["queue:", "6 missing_value"],
    ["queue: a", "6 missing_value"],
    ["queue:a,", "8 missing_value"],
    ["queue:,a", "6 missing_value"],
    ["queue=a", "5 bad_operator"],
    ["fingerprint:8e5b961b1708412", "12 bad_value"],
    ["fingerprint:8E5B961B1708412F", "12 bad_value"],
    ["queue:a/b", "6 bad_value"],
    ["queue:'", "6 bad_value"],
    [`queue:${"a".repeat(129)}`, "6 bad_value"],
    ["attempt:3", "7 bad_operator"],
    ["attempt>1.5", "8 bad_value"],
    ["attempt>1,2", "9 too_many_values"],
    ["created>yesterday", "8 bad_value"],
    ["created>2026-01-05", "8 bad_value"],
    ["created>2026-02-30T00:00:00Z", "8 bad_value"],
    ["created=2h", "7 bad_operator"],
    ["created>99999999d", "8 bad_value"],
    ["error:x", "5 bad_operator"],
    ['error~""', "6 bad_value"],
    ["id:0", "3 bad_value"],
    ["id:1e3", "3 bad_value"],
    ["id:9007199254740993", "3 bad_value"],
    ['tag:""', "4 bad_value"],
    ['tag:"open', "4 open_quote"],
    ['tag:"open\\', "4 open_quote"],
    ['tag:"a"b', "7 missing_space"],
    ['tag:a"b', "5 misplaced_quote"],
    ['ab"c', "2 misplaced_quote"],
    ["-", "0 missing_term"],
    ["- queue:a", "0 missing_term"],
    ["=x", "0 missing_qualifier"],
    [":x", "0 missing_qualifier"],
    ["!", "0 bad_operator"],
    ["a!b", "0 unknown_qualifier"],
    ['""', "0 bad_value"],
    ["queue:a OR queue:b", "8 boolean_operator"],
    ["queue:a AND tag:b", "8 boolean_operator"],
    ["NOT tag:b", "0 boolean_operator"],
    ["-OR", "1 boolean_operator"],
    ["(state:dead)", "0 boolean_operator"],
    ["-(a", "1 boolean_operator"],
    ["NOT(payload.a=1)", "0 boolean_operator"],
    ['("a b")', "0 boolean_operator"],
    ["queue:a )", "8 boolean_operator"],
    ["mail.(send", "0 boolean_operator"],
    ["payload.=1", "7 bad_path"],
    ["payload.a..b=1", "9 bad_path"],
    ["payload[x]=1", "7 bad_path"],
    ["payload.a\0=1", "9 bad_path"],
    ["payload.a\\=1", "9 bad_path"],
    ["payload[01]=1", "7 bad_path"],
    ["payload[1000000]=1", "7 bad_path"],
    ["payload.a>x", "10 bad_value"],
    ['payload.a>"1"', "10 bad_value"],
    ["payload.a=1e999", "10 bad_value"],
    ["payload.a:1", "9 bad_operator"],
    ["payloadx.a=1", "0 unknown_qualifier"],
    ["state.a:dead", "0 unknown_qualifier"],
    ["__proto__:a", "0 unknown_qualifier"],
    ["constructor:a", "0 unknown_qualifier"],
    [`payload${".a".repeat(33)}=1`, "71 bad_path"],
    ["x".repeat(1_001), "1000 too_long"],
    ['payload.a="x\ud800"', "12 bad_value"],
    ["\udc00\ud800", "0 bad_value"],
    ["x".repeat(10_000), "1000 too_long"],
    [new Array(51).fill("a").join(" "), "100 too_many_terms"],
    [`id:${Array.from({ length: 101 }, (_, index) => index + 1).join(",")}`, "0 too_many_values"],
  ])("%j is refused with its place", (given, fault) => {
    expect(faultOf(given)).toBe(fault);
  });

  test("names the nearest word", () => {
    expect(detailOf("quue:email")).toContain('did you mean "queue"?');
    expect(detailOf("state:ded")).toContain('did you mean "dead"?');
    expect(detailOf("email:send")).toContain("into quotes");
  });

  test("says how to write what other languages join and group terms by", () => {
    expect(detailOf("a OR b")).toContain("state:pending,running");
    expect(detailOf("a AND b")).toContain("leave AND out");
    expect(detailOf("NOT a")).toContain("-tag:test");
    expect(detailOf("(a")).toContain("parentheses");
    for (const filter of ["OR", "AND", "NOT", "(a)"]) {
      expect(detailOf(filter)).toContain("in quotes");
      expect(detailOf(`"${filter}"`)).toBe("");
    }
  });

  test("takes 50 terms, 100 values and 1000 characters", () => {
    expect(parseJobQuery(new Array(50).fill("a").join(" ")).terms).toHaveLength(50);
    const ids = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(parseJobQuery(`id:${ids.join(",")}`).terms).toHaveLength(1);
    expect(parseJobQuery("x".repeat(1_000)).terms).toHaveLength(1);
    // 60 and 60 values of one qualifier.
    expect(
      faultOf(`id:${ids.slice(0, 60).join(",")} id:${ids.slice(40).join(",")}`.replace(/,100$/, ",100,101")),
    ).toMatch(/too_many_values/);
  });

  test("relative times mean an instant only when they are resolved", () => {
    const now = Date.UTC(2026, 0, 5);
    const { terms } = resolveTimes(parseJobQuery("created>2h run<+1d queue:a"), now);
    expect(terms.map((term) => (term.kind === "time" ? term.value : null))).toEqual([
      { instant: now - 2 * HOUR },
      { instant: now + 24 * HOUR },
      null,
    ]);
  });
});

describe("the canonical text", () => {
  test.each([
    ["queue:a queue:b", "queue:a,b"],
    ['tag:"x"  name:y', "tag:x name:y"],
    ["created>-120m", "created>2h"],
    ["created>0d", "created>0s"],
    ["run<+90s", "run<+90s"],
    ["created>2026-01-05T10:00:00+01:00", "created>2026-01-05T09:00:00.000Z"],
    ['payload.a="1" payload.b=1.0', 'payload.a="1" payload.b=1'],
    ["12 mail", "id:12 mail"],
    ['"12" "-a" "a*" "b:c" "d e"', '"12" "-a" "a*" "b:c" "d e"'],
    ['"OR" "(a" "or"', '"OR" "(a" or'],
  ])("of %j is %j", (given, printed) => {
    expect(printJobQuery(parseJobQuery(given))).toBe(printed);
    expect(printJobQuery(EVERY_JOB)).toBe("");
  });
});

/** Pieces from which filters are put together, right and wrong ones. */
const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "queue:",
      "state:",
      "name:",
      "tag:",
      "key:",
      "id:",
      "worker:",
      "schedule:",
      "fingerprint:",
    ),
  },
  fc.constantFrom(
    "error~",
    "attempt>",
    "attempt=",
    "priority<=",
    "created>",
    "run<",
    "payload.a=",
    "payload.a[1].b~",
  ),
  fc.constantFrom(
    "dead",
    "pending",
    "email*",
    "**",
    "2h",
    "+30m",
    "-7d",
    "2026-01-05T10:00:00Z",
    "1",
    "-1.5",
    "true",
    "OR",
    "(",
  ),
  {
    weight: 3,
    arbitrary: fc.constantFrom(" ", ",", '"', "\\", "-", "!", "=", ">", "~", ":", ".", "[", "]", "*"),
  },
  fc.string({ unit: "binary", maxLength: 5 }),
);
const filterText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
);

const bareName = fc.stringMatching(/^[A-Za-z0-9._:-]{0,3}\*?[A-Za-z0-9._:-]{1,3}$/);
const anyText = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 8 }) },
  fc.constantFrom("OR", "NOT", "(a)"),
);
const negated = fc.boolean();
const list = <T>(values: fc.Arbitrary<T>) => fc.uniqueArray(values, { minLength: 1, maxLength: 4 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const scalar = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), number, fc.boolean(), fc.constant(null));
const path = fc.array(fc.oneof(fc.stringMatching(/^[a-z$@_-]{1,4}$/), fc.nat(999)), { maxLength: 3 });
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(2000), max: Date.UTC(9999) }).map((instant) => ({ instant })),
  fc.integer({ min: -1e9, max: 1e9 }).map((fromNowMs) => ({ fromNowMs })),
);
const order = fc.constantFrom(">", ">=", "<", "<=");
const term = fc.oneof(
  fc.record({
    kind: fc.constant("state"),
    negated,
    values: list(fc.constantFrom("dead", "pending", "running")),
  }),
  fc.record({
    kind: fc.constant("text"),
    field: fc.constantFrom("queue", "name"),
    negated,
    values: list(bareName),
  }),
  fc.record({
    kind: fc.constant("text"),
    field: fc.constantFrom("tag", "key", "worker", "schedule"),
    negated,
    values: list(anyText),
  }),
  fc.record({ kind: fc.constant("word"), negated, value: anyText }),
  fc.record({ kind: fc.constant("error"), negated, values: list(anyText) }),
  fc.record({
    kind: fc.constant("number"),
    field: fc.constantFrom("attempt", "priority"),
    operator: fc.oneof(order, fc.constant("!=")),
    negated,
    values: fc.tuple(fc.nat(999)),
  }),
  fc.record({
    kind: fc.constant("time"),
    field: fc.constantFrom("created", "run", "started", "finished"),
    operator: order,
    negated,
    value: moment,
  }),
  fc.record({
    kind: fc.constant("json"),
    document: fc.constantFrom("payload", "result"),
    path,
    operator: fc.constant("="),
    negated,
    values: list(scalar),
  }),
  fc.record({
    kind: fc.constant("json"),
    document: fc.constantFrom("payload", "result"),
    path,
    operator: order,
    negated,
    values: fc.tuple(number),
  }),
) as fc.Arbitrary<JobTerm>;

describe("any text", () => {
  test("is a query, or refused with a position inside it", () => {
    let read = 0;
    fc.assert(
      fc.property(filterText, (given) => {
        try {
          const query = parseJobQuery(given);
          read += 1;
          // The canonical text may be longer than what was typed, and then too long.
          const printed = printJobQuery(query);
          if (printed.length <= 1_000) expect(parseJobQuery(printed)).toEqual(query);
        } catch (error) {
          if (!(error instanceof KonveierError)) throw error;
          expect(error.code).toBe("bad_filter");
          const position = error.faults[0]?.position ?? -1;
          expect(position).toBeGreaterThanOrEqual(0);
          expect(position).toBeLessThanOrEqual(given.length);
        }
      }),
      { numRuns: 6_000, seed: 7 },
    );
    expect(read).toBeGreaterThan(600);
  });

  test("a query comes back from its text", () => {
    fc.assert(
      fc.property(fc.uniqueArray(term, { maxLength: 5, selector: ({ kind }) => kind }), (terms) => {
        const query: JobQuery = { terms };
        const printed = printJobQuery(query);
        fc.pre(printed.length <= 1_000);
        expect(parseJobQuery(printed), printed).toEqual(query);
      }),
      { numRuns: 2_000, seed: 8 },
    );
  });

  test("each character is read a bounded number of times", () => {
    // What would make a reader that goes back, or a careless regular expression, take quadratic time.
    const hostile = [
      '"',
      "\\",
      "-",
      " ",
      "*",
      ":",
      ",",
      ".",
      "[0]",
      "a:",
      '""',
      '\\"',
      "queue:*",
      "payload.a",
      "a,",
    ];
    for (const repeated of hostile) {
      for (const head of ["", "queue:", "name:", 'key:"', "payload", "payload.a=", "created>"]) {
        const given = (head + repeated.repeat(1_000)).slice(0, 1_000);
        const charAt = vi.spyOn(String.prototype, "charAt");
        try {
          parseJobQuery(given);
        } catch (error) {
          expect((error as KonveierError).code).toBe("bad_filter");
        }
        const reads = charAt.mock.calls.length;
        charAt.mockRestore();
        expect(reads, given.slice(0, 20)).toBeLessThan(10_000);
      }
    }
  });
});
