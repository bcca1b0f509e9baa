import fc from "fast-check";
import type { ApiDocument, Operation, Parameter } from "./api-document.js";
import { hostile, hostileText, jobId, jsonText, remembered, spoil, ValidValues } from "./values.js";

/** Who sends: everything, some of it, nobody, or somebody with a wrong token. */
export type Sender = "admin" | "limited" | "nobody" | "stranger";

export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly sender: Sender;
}

type Kind = "valid" | "near" | "garbage";

const SPECIAL_HEADERS: Readonly<Record<string, readonly string[]>> = {
  "if-match": ['"v1"', '"v999999999999999"', "*", 'W/"v1"', "v1", "", '"v1", "v2"', "\xff"],
  "if-none-match": ["*", '"v1"'],
  "last-event-id": ["0", "1", "-1", "9007199254740993", "", "x", "é", "1".repeat(5_000)],
  cookie: [
    "konveier_session=nothing",
    "konveier_session=",
    "konveier_session",
    `a=${"b".repeat(4_000)}`,
    ";;=;",
    "konveier_session={{session}}",
  ],
  accept: ["application/json", "text/event-stream", "*/*", "", "x/y;q=NaN"],
  "content-encoding": ["gzip", "identity", "br", ""],
  "x-request-id": ["a", "", "x".repeat(200)],
  "x-http-method-override": ["DELETE"],
  "sec-fetch-site": ["cross-site", "same-origin", "nonsense"],
  origin: ["http://evil.example", "null", "::"],
  "accept-encoding": ["gzip", "identity;q=0"],
  range: ["bytes=0-1"],
  "content-type": [
    "application/json; charset=utf-16",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=",
    "application/json;;;",
    "",
    "/",
    "APPLICATION/JSON",
  ],
};

const headers: fc.Arbitrary<Record<string, string>> = fc
  .array(
    fc
      .constantFrom(...Object.keys(SPECIAL_HEADERS))
      .chain((name) => fc.constantFrom(...SPECIAL_HEADERS[name]!).map((value) => [name, value] as const)),
    { maxLength: 3 },
  )
  .map((pairs) => Object.fromEntries(pairs));

const sender: fc.Arbitrary<Sender> = fc.oneof(
  { arbitrary: fc.constant<Sender>("admin"), weight: 16 },
  { arbitrary: fc.constant<Sender>("limited"), weight: 4 },
  { arbitrary: fc.constant<Sender>("nobody"), weight: 1 },
  { arbitrary: fc.constant<Sender>("stranger"), weight: 1 },
);

/** Requests for one operation: valid ones, some with one fault, and garbage. */
export function requestsFor(document: ApiDocument, operation: Operation): fc.Arbitrary<FuzzRequest> {
  const kind = fc.constantFrom<Kind>("valid", "valid", "near", "near", "near", "garbage");
  const values = new ValidValues(document);
  return kind.chain((of) =>
    fc
      .record({
        path: pathOf(operation, of),
        query: queryOf(values, operation, of),
        headers: of === "valid" ? fc.constant({}) : headers,
        body: bodyOf(values, operation, of),
        sender,
      })
      .map(({ path, query, headers: sent, body, sender: who }) => ({
        operation: operation.id,
        method: operation.method,
        path: path + query,
        headers: body === null ? sent : { "content-type": "application/json", ...sent },
        body,
        sender: who,
      })),
  );
}

function pathOf({ path, parameters }: Operation, kind: Kind): fc.Arbitrary<string> {
  const names = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const usual = (name: string): fc.Arbitrary<string> => {
    if (name !== "id") return fc.constantFrom("default", "other", "a", "b", "never-seen");
    if (path.startsWith("/v1/operations")) return fc.constant(remembered("operation"));
    if (path.startsWith("/v1/tokens")) return fc.constant(remembered("tokenId"));
    return fc.oneof(fc.constant(remembered("leaseId")), jobId);
  };
  const odd = hostileText.map((text) => text.replaceAll(/[\uD800-\uDFFF]/g, "\u{1F642}"));
  const one = (name: string) => {
    const encoded = odd.map((text) => encodeURIComponent(text).slice(0, 4_000));
    if (kind === "valid") return usual(name);
    const broken = fc.constantFrom("%zz", "%ff%fe", "%", "%c0%ae", "a;b", "%2e%2e", "\xe9\xff");
    return fc.oneof({ arbitrary: usual(name), weight: 6 }, encoded, broken);
  };
  return fc
    .tuple(...names.map(one))
    .map((found) => names.reduce((text, name, index) => text.replace(`{${name}}`, found[index]!), path));
}

function queryOf(values: ValidValues, { parameters }: Operation, kind: Kind): fc.Arbitrary<string> {
  const known = parameters.filter((parameter) => parameter.in === "query");
  const valid = fc.record(
    Object.fromEntries(known.map(({ name, schema }: Parameter) => [name, values.of(schema, name)])),
    { requiredKeys: [] },
  );
  const usual = valid.map((query) => encodeQuery(Object.entries(query)));
  if (kind === "valid") return usual;
  const names = [...known.map(({ name }) => name), "extra", "__proto__", "limit", "token"];
  const faulty = fc
    .tuple(valid, fc.array(fc.tuple(fc.constantFrom(...names), hostile), { maxLength: 3 }))
    .map(([query, more]) => encodeQuery([...Object.entries(query), ...more]));
  const garbage = fc.constantFrom(
    "?",
    "?%",
    "?a[b]=c&a[]=1",
    "?=&&=",
    "?limit=%ff",
    `?${"a=1&".repeat(2_000)}`,
  );
  return fc.oneof({ arbitrary: usual, weight: 3 }, { arbitrary: faulty, weight: 4 }, garbage);
}

function encodeQuery(entries: readonly (readonly [string, unknown])[]): string {
  const encode = (value: unknown): string => {
    const text = typeof value === "string" ? value : jsonText(value);
    const encoded = encodeURIComponent(text.replaceAll(/[\uD800-\uDFFF]/g, "?").slice(0, 2_000));
    return encoded.replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}");
  };
  const pairs = entries.map(([name, value]) => {
    const list = Array.isArray(value) ? value.map(encode).join(",") : encode(value);
    return `${encode(name)}=${list}`;
  });
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function bodyOf(
  values: ValidValues,
  { body, method }: Operation,
  kind: Kind,
): fc.Arbitrary<Uint8Array | null> {
  const valid = body === null ? fc.constant(null) : values.of(body);
  const text = valid.map(bytesOf);
  if (kind === "valid") return body === null ? fc.constant(null) : text;
  const spoilt = fc
    .tuple(valid, fc.nat({ max: 1_000_000 }), hostile)
    .map(([value, at, by]) => bytesOf(spoil(value, at, by)));
  if (method === "GET") return fc.oneof({ arbitrary: fc.constant(null), weight: 5 }, spoilt);
  if (kind === "near") return fc.oneof({ arbitrary: spoilt, weight: 6 }, { arbitrary: text, weight: 1 });
  return fc.oneof(
    fc.constant(null),
    spoilt,
    hostile.map(bytesOf),
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(text, fc.nat({ max: 400 })).map(([bytes, end]) => bytes.subarray(0, end % (bytes.length + 1))),
    fc.tuple(text, fc.nat({ max: 400 })).map(([bytes, at]) => {
      const place = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, place), BAD_BYTES, bytes.subarray(place)]);
    }),
    fc
      .constantFrom("\uFEFF{}", "{}{}", " ".repeat(100_000), `{${'"a":1,'.repeat(20_000)}"b":1}`)
      .map((raw) => Buffer.from(raw)),
  );
}

/** A lone surrogate, an overlong slash, a byte that begins nothing. */
const BAD_BYTES = Buffer.from([0xed, 0xa0, 0x80, 0xc0, 0xaf, 0xff]);

function bytesOf(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value));
}
