import { describe, expect, test } from "vitest";
import { Problem } from "../../src/api/problem.js";
import { API_TOKEN, startHttpServer, type Answer, type HttpServer } from "../support/http-server.js";

/** Enqueues a job whose payload is this JSON text, byte for byte. */
function enqueue(server: HttpServer, payload: string | Uint8Array): Promise<Answer> {
  const raw = Buffer.concat([Buffer.from('{"name":"a","payload":'), Buffer.from(payload), Buffer.from("}")]);
  return server.send("POST", "/v1/jobs", { raw });
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** JSON text that takes exactly so many bytes. */
function ofBytes(bytes: number, letter = "x"): string {
  return JSON.stringify(letter.repeat((bytes - 2) / Buffer.byteLength(letter)));
}

const LIMIT = 256 * 1024;
const FAMILY = "👨‍👩‍👧";

describe("a payload comes back as the same text", () => {
  test.each([
    ["a NUL", String.raw`{"a":"x\u0000y","\u0000":1}`],
    ["lone surrogates, escaped", String.raw`["\ud800","a\udc59b","\udc00\ud800"]`],
    ["emoji", JSON.stringify({ [FAMILY]: FAMILY })],
    [
      "quotes, backslashes and SQL",
      JSON.stringify(["'", '"', "\\", "\\x41", "'; DROP TABLE jobs; --", "E'x'"]),
    ],
    ["line ends that JavaScript once refused", JSON.stringify("a\u2028b\u2029c")],
    ["control characters", String.raw`"\u0001\b\t\n\f\r\u001f"`],
    ["the largest exact whole numbers", "[9007199254740991,-9007199254740991,9007199254740992]"],
    ["a large and a small fraction", "[1.7976931348623157e+308,5e-324]"],
    ["a sum that is no short fraction", "0.30000000000000004"],
    [
      "names of Object.prototype",
      '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"toString":1}',
    ],
    ["null", "null"],
    ["false", "false"],
    ["an empty text", '""'],
    ["an empty name", '{"":{"":0}}'],
    ["128 levels", nested(128)],
    ["256 KiB", ofBytes(LIMIT)],
    ["256 KiB of letters of two bytes", ofBytes(LIMIT, "я")],
  ])("%s", async (_what, payload) => {
    const server = await startHttpServer();
    expect((await enqueue(server, payload)).status).toBe(201);
    expect((await server.get("/v1/jobs/1/payload")).text).toBe(payload);
    const claim = await server.post("/v1/claim", { workerId: "w", queues: ["default"] });
    expect(claim.text).toContain(`"payload":${payload}}`);
    expect((claim.body["jobs"] as { payload: unknown }[])[0]?.payload).toEqual(JSON.parse(payload));
  });

  test.each([
    ["spaces are not kept", ' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}'],
    ["needless escapes are not kept", String.raw`"\u0041\/\ud83d\ude00"`, '"A/😀"'],
    ["minus zero becomes zero", "[-0,-0.0]", "[0,0]"],
    ["numbers are written the short way", "[1.0,1e2,10E-1,0.10]", "[1,100,1,0.1]"],
    ["fractions are rounded to a double", "0.1000000000000000055", "0.1"],
    ["of the same name the last one counts", '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ["names that are whole numbers come first", '{"b":0,"2":0,"1":0}', '{"1":0,"2":0,"b":0}'],
  ])("as JSON has it: %s", async (_what, sent, stored) => {
    const server = await startHttpServer();
    expect((await enqueue(server, sent)).status).toBe(201);
    expect((await server.get("/v1/jobs/1/payload")).text).toBe(stored);
  });

  test("and without one is null", async () => {
    const server = await startHttpServer();
    await server.post("/v1/jobs", { name: "a" });
    expect((await server.get("/v1/jobs/1/payload")).text).toBe("null");
  });
});

describe("a payload is refused", () => {
  test.each([
    ["2^53 + 1", "9007199254740993", 422, "number_precision"],
    ["minus 2^53 - 1", "[-9007199254740993]", 422, "number_precision"],
    ["1e400", '{"a":{"b":1e400}}', 422, "number_precision"],
    ["a number of 100 000 digits", "9".repeat(100_000), 422, "number_precision"],
    ["129 levels", nested(129), 422, "payload_too_deep"],
    ["1000 levels", nested(1_000), 422, "payload_too_deep"],
    ["half a million levels", nested(500_000), 422, "payload_too_deep"],
    // Not JSON either: the depth is found before anything is parsed, which would take seconds.
    ["20 000 brackets that nobody closes", "[".repeat(20_000), 422, "payload_too_deep"],
    ["256 KiB and a byte", ofBytes(LIMIT + 1), 413, "payload_too_large"],
    ["256 KiB that UTF-8 makes longer", ofBytes(LIMIT + 2, "я"), 413, "payload_too_large"],
    ["more values than a body may have", `[${"1,".repeat(500_000)}1]`, 413, "body_too_large"],
    ["1 MiB", ofBytes(1024 * 1024), 413, "body_too_large"],
    ["NaN", "NaN", 400, "malformed_json"],
    ["a hexadecimal number", "0x10", 400, "malformed_json"],
    ["a number with a zero in front", "01", 400, "malformed_json"],
    ["undefined", "undefined", 400, "malformed_json"],
    ["text in single quotes", "'a'", 400, "malformed_json"],
    ["a comma too many", "[1,]", 400, "malformed_json"],
    ["a raw control character", '"\u0000"', 400, "malformed_json"],
    ["a comment", "/* x */ 1", 400, "malformed_json"],
    ["nothing", "", 400, "malformed_json"],
  ])("with %s", async (_what, payload, status, code) => {
    const server = await startHttpServer();
    const answer = await enqueue(server, payload);
    expect([answer.status, answer.as(Problem).code]).toEqual([status, code]);
    expect((await server.get("/v1/queues")).json).toEqual({ items: [] });
  });

  test.each([
    ["a lone surrogate, raw", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a byte that UTF-8 never has", [0x22, 0xff, 0x22]],
    ["half a letter", [0x22, 0xd0, 0x22]],
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
  ])("with %s", async (_what, bytes) => {
    const server = await startHttpServer();
    const answer = await enqueue(server, Uint8Array.from(bytes));
    expect([answer.status, answer.as(Problem).code]).toEqual([400, "malformed_json"]);
  });

  test("with the number by name and the way out", async () => {
    const server = await startHttpServer();
    const answer = await enqueue(server, '{"id":9007199254740993}');
    expect(answer.as(Problem).detail).toContain("9007199254740993");
    expect(answer.as(Problem).detail).toContain("as a string");
    const long = await enqueue(server, "9".repeat(10_000));
    expect(long.text.length).toBeLessThan(1_000);
  });
});

describe("keys of Object.prototype", () => {
  test("are unknown fields of the envelope, and change nothing", async () => {
    const server = await startHttpServer();
    for (const field of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const raw = `{"name":"a","${field}":{"priority":9,"maxAttempts":999}}`;
      const answer = await server.send("POST", "/v1/jobs", { raw });
      expect(answer.as(Problem).errors).toEqual([
        { pointer: `/${field}`, code: "unknown_field", detail: "is not known here" },
      ]);
    }
    const batch = await server.send("POST", "/v1/jobs/batch", {
      raw: '{"jobs":[{"name":"a"}],"__proto__":{}}',
    });
    expect(batch.as(Problem).errors?.[0]?.code).toBe("unknown_field");
  });

  test("never reach the prototype of the server's own objects", async () => {
    const server = await startHttpServer();
    const payload = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}';
    await Promise.all(Array.from({ length: 200 }, () => enqueue(server, payload)));
    await server.send("POST", "/v1/claim", {
      raw: `{"workerId":"w","queues":["default"],"__proto__":{"max":5}}`,
    });
    const claim = await server.post("/v1/claim", { workerId: "w", queues: ["default"] });
    const { id, leaseToken } = (claim.body["jobs"] as { id: string; leaseToken: string }[])[0]!;
    await server.send("POST", `/v1/jobs/${id}/complete`, {
      raw: `{"leaseToken":"${leaseToken}","result":${payload}}`,
    });
    expect((await server.get(`/v1/jobs/${id}/result`)).text).toBe(payload);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test("are fine as a tag, a key and a worker", async () => {
    const server = await startHttpServer();
    const job = { name: "a", tags: ["__proto__", "constructor"], idempotencyKey: "__proto__" };
    expect((await server.post("/v1/jobs", job)).status).toBe(201);
    expect((await server.post("/v1/jobs", job)).status).toBe(200);
    expect((await server.get("/v1/jobs?tag=__proto__")).body["items"]).toHaveLength(1);
    const claim = await server.post("/v1/claim", { workerId: "__proto__", queues: ["default"] });
    expect(claim.body["jobs"]).toHaveLength(1);
    expect((await server.get("/v1/workers")).body["items"]).toMatchObject([{ id: "__proto__" }]);
  });
});

describe("texts beside the payload", () => {
  test.each([
    ["idempotencyKey", "a\0b", "invalid_key"],
    ["idempotencyKey", "\ud800", "invalid_key"],
    ["idempotencyKey", "x".repeat(256), "invalid_key"],
    ["name", "a\0", "invalid_name"],
    ["queue", "\ud800", "invalid_name"],
  ])("%s may not be %j", async (field, value, code) => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs", { name: "a", [field]: value });
    expect(answer.as(Problem).errors).toEqual([expect.objectContaining({ pointer: `/${field}`, code })]);
  });

  test.each(["\0", "\ud800", "", "x".repeat(65), "a\nb"])("a tag may not be %j", async (tag) => {
    const server = await startHttpServer();
    const answer = await server.post("/v1/jobs", { name: "a", tags: [tag] });
    expect(answer.as(Problem).errors).toEqual([
      expect.objectContaining({ pointer: "/tags/0", code: "invalid_tag" }),
    ]);
  });

  test("a key may have as many characters when each takes four bytes, and no more", async () => {
    const server = await startHttpServer();
    const longest = await server.post("/v1/jobs", { name: "a", idempotencyKey: "😀".repeat(255) });
    expect(longest.status).toBe(201);
    const answer = await server.post("/v1/jobs", { name: "a", idempotencyKey: "😀".repeat(256) });
    expect(answer.as(Problem).errors).toEqual([
      { pointer: "/idempotencyKey", code: "invalid_key", detail: "must be 1 to 255 printable characters" },
    ]);
  });

  test("a worker may have any printable name", async () => {
    const server = await startHttpServer();
    for (const workerId of ["Basecamp’s-Computer", "<script>alert(1)</script>", "рабочий 🛠"]) {
      expect((await server.post("/v1/claim", { workerId, queues: ["default"] })).status).toBe(200);
    }
    expect((await server.get("/v1/workers")).body["items"]).toHaveLength(3);
    for (const workerId of ["a\nb", "", "x".repeat(256), "😀".repeat(256)]) {
      const answer = await server.post("/v1/claim", { workerId, queues: ["default"] });
      expect(answer.as(Problem).errors).toEqual([expect.objectContaining({ pointer: "/workerId" })]);
    }
  });
});

describe("a result", () => {
  async function complete(server: HttpServer, result: string): Promise<Answer> {
    await server.post("/v1/jobs", { name: "a" });
    const claim = await server.post("/v1/claim", { workerId: "w", queues: ["default"] });
    const { leaseToken } = (claim.body["jobs"] as { leaseToken: string }[])[0]!;
    return server.send("POST", "/v1/jobs/1/complete", {
      raw: `{"leaseToken":"${leaseToken}","result":${result}}`,
    });
  }

  test.each([
    ["a NUL and surrogates", String.raw`{"a":"\u0000\ud800"}`],
    ["names of Object.prototype", '{"__proto__":1}'],
    ["256 KiB", ofBytes(LIMIT)],
  ])("with %s comes back as the same text", async (_what, result) => {
    const server = await startHttpServer();
    expect((await complete(server, result)).json).toEqual({ state: "completed", resultProblem: null });
    expect((await server.get("/v1/jobs/1/result")).text).toBe(result);
  });

  test.each([
    ["256 KiB and a byte", ofBytes(LIMIT + 1), "262145 bytes"],
    ["5 MiB", ofBytes(5 * 1024 * 1024), "bytes"],
    ["1000 levels", nested(1_000), "deeper"],
    ["20 000 levels", nested(20_000), "deeper"],
    [
      "120 000 fields",
      `{${Array.from({ length: 120_000 }, (_, index) => `"f${index}":1`).join()}}`,
      "too many",
    ],
    ["600 000 values", `[${"1,".repeat(600_000)}1]`, "too many"],
    ["2^53 + 1", "9007199254740993", "9007199254740993"],
    ["1e400", "[1e400]", "1e400"],
  ])("with %s is not kept, but the job is done", async (_what, result, said) => {
    const server = await startHttpServer();
    const answer = await complete(server, result);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      state: "completed",
      resultProblem: expect.stringContaining(said) as string,
    });
    expect((await server.get("/v1/jobs/1/result")).status).toBe(404);
    expect((await server.get("/v1/jobs/1")).body).toMatchObject({
      state: "completed",
      resultProblem: expect.stringContaining(said) as string,
    });
  });

  test("that cannot be read leaves the job to the worker", async () => {
    const server = await startHttpServer();
    expect((await complete(server, "[")).as(Problem).code).toBe("malformed_json");
    expect((await server.get("/v1/jobs/1")).body).toMatchObject({ state: "running" });
  });
});

test("the charset must be UTF-8", async () => {
  const server = await startHttpServer();
  const send = (type: string): Promise<Answer> =>
    server.send("POST", "/v1/jobs", { raw: '{"name":"a"}', headers: { "content-type": type } });
  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
  ]) {
    expect((await send(type)).status, type).toBe(201);
  }
  for (const type of [
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/problem+json",
    "application/jsonp",
    "json",
    "*/*",
  ]) {
    const answer = await send(type);
    expect([answer.status, answer.as(Problem).code], type).toEqual([415, "unsupported_media_type"]);
  }
  const untyped = await fetch(`${server.url}/v1/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_TOKEN}` },
    body: Buffer.from('{"name":"a"}'),
  });
  expect(untyped.status).toBe(415);
});
