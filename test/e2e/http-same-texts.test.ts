import { expect, test } from "vitest";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { testDatabase } from "../support/test-database.js";

/** JSON as it is sent, byte for byte. */
const VALUES: readonly (readonly [what: string, json: string])[] = [
  ["a NUL", String.raw`"a\u0000b"`],
  ["only a NUL", String.raw`"\u0000"`],
  ["a high surrogate", String.raw`"a\ud800"`],
  ["a low surrogate", String.raw`"\udc00b"`],
  ["swapped surrogates", String.raw`"\udc00\ud800"`],
  ["a surrogate pair, escaped", String.raw`"\ud83d\ude00"`],
  ["a surrogate pair, unescaped", '"😀"'],
  ["U+FFFF and U+FFFE", String.raw`"\uffff\ufffe"`],
  ["U+FFFF, unescaped", '"\uffff"'],
  ["an escaped NUL as text", String.raw`"\\u0000 \\ud800 \\x00"`],
  ["all control characters", String.raw`"\u0001\b\t\n\u000b\f\r\u001f\u007f\u0085\u2028\u2029"`],
  ["letters that look alike", '"é e\u0301 ß ẞ İ ı \u202e \ufeff"'],
  ["quotes, backslashes, wildcards, dollars", String.raw`"' \" \\ % _ * ? $1 $$ {} ; -- /* E'\\000' "`],
  ["nothing", '""'],
  ["spaces", '"   "'],
  ["a name of Object.prototype", '"__proto__"'],
  ["a text as long as a name may be", `"${"n".repeat(128)}"`],
  ["a text that is longer", `"${"я".repeat(300)}"`],
  ["a very long text", `"${"x😀".repeat(40_000)}"`],
  ["1e400", "1e400"],
  ["2^53 + 1", "9007199254740993"],
  ["minus zero", "-0"],
  ["the smallest number", "5e-324"],
  ["a number in a text", '"1e400"'],
  ["keys of Object.prototype", '{"__proto__":{"a":1},"constructor":2}'],
  ["keys that no column could have", String.raw`{"\u0000":1,"\ud800":2,"\uffff":3,"":4}`],
  ["null", "null"],
  ["a truth", "true"],
];

/** What differs from call to call, or is random. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/lt_\d+_[\w-]{22}/g, "LEASE"],
  [/kv_[a-z0-9]{8}_[\w-]{43}/g, "SECRET"],
  [/"(id|tokenId)":"[a-z0-9]{8}"/g, '"$1":"TOKEN"'],
  [/"(requestId|nextCursor|previewToken)":"[^"]+"/g, '"$1":"…"'],
  [/"(runMs|waitMs|ageMs|durationMs|elapsedMs)":\d+/g, '"$1":0'],
];

/** Drives one value through everything that takes text or JSON, and tells all that was answered. */
async function outcomes(store: string, json: string): Promise<string[]> {
  const server = await startHttpServer({ database: testDatabase(store) });
  const said: string[] = [];
  const tell = async (what: string, method: string, path: string, raw?: string): Promise<string> => {
    const { status, text } = await server.send(method, path, raw === undefined ? {} : { raw });
    const same = VARYING.reduce((masked, [pattern, word]) => masked.replaceAll(pattern, word), text);
    said.push(`${what}: ${String(status)} ${same}`);
    return text;
  };
  await produce(tell, json);
  await work(server, tell, json);
  await operate(tell, json);
  await look(tell, json);
  // Last, because the ids of jobs that were there already are lost on PostgreSQL.
  await produceAgain(tell, json);
  return said;
}

type Tell = (what: string, method: string, path: string, raw?: string) => Promise<string>;

async function produce(tell: Tell, json: string): Promise<void> {
  const post = (what: string, more: string) =>
    tell(what, "POST", "/v1/jobs", `{"queue":"made","name":"a",${more}}`);
  await post("payload", `"payload":${json}`);
  await post("nested payload", `"payload":{"deep":[{"value":${json}}]}`);
  await tell("name", "POST", "/v1/jobs", `{"queue":"made","name":${json}}`);
  await tell("queue", "POST", "/v1/jobs", `{"queue":${json},"name":"a"}`);
  await post("tags", `"tags":["t",${json}]`);
  await post("key", `"idempotencyKey":${json}`);
  await post("traceparent", `"traceparent":${json}`);
  await tell(
    "schedule's job",
    "PUT",
    "/v1/schedules/made",
    `{"cron":"0 0 29 2 *","job":{"name":"a","payload":${json},"tags":[${json}]}}`,
  );
  await tell("cron", "PUT", "/v1/schedules/cron", `{"cron":${json},"job":{"name":"a"}}`);
  await tell(
    "timezone",
    "PUT",
    "/v1/schedules/zone",
    `{"cron":"* * * * *","timezone":${json},"job":{"name":"a"}}`,
  );
}

async function produceAgain(tell: Tell, json: string): Promise<void> {
  for (const payload of ["null", "1"]) {
    const raw = `{"queue":"made","name":"a","idempotencyKey":${json},"payload":${payload}}`;
    await tell(`key again with ${payload}`, "POST", "/v1/jobs", raw);
  }
}

async function work(server: HttpServer, tell: Tell, json: string): Promise<void> {
  await tell("worker", "POST", "/v1/claim", `{"workerId":${json},"queues":["none"]}`);
  await tell("names", "POST", "/v1/claim", `{"workerId":"w","queues":["none"],"names":[${json}]}`);
  await tell("claimId", "POST", "/v1/claim", `{"workerId":"w","queues":["none"],"claimId":${json}}`);
  const claimed = async (): Promise<{ path: string; lease: string }> => {
    await server.post("/v1/jobs", { name: "a", queue: "work", maxAttempts: 1 });
    const { body } = await server.post("/v1/claim", { workerId: "w", queues: ["work"] });
    const [job] = body["jobs"] as { id: string; leaseToken: string }[];
    return { path: `/v1/jobs/${job!.id}`, lease: `"leaseToken":"${job!.leaseToken}"` };
  };
  const done = await claimed();
  await tell("progress", "POST", `${done.path}/progress`, `{${done.lease},"percent":1,"message":${json}}`);
  await tell("logs", "POST", `${done.path}/logs`, `{${done.lease},"lines":[{"message":${json}}]}`);
  await tell(
    "level",
    "POST",
    `${done.path}/logs`,
    `{${done.lease},"lines":[{"message":"","level":${json}}]}`,
  );
  await tell("step name", "POST", `${done.path}/steps`, `{${done.lease},"name":${json}}`);
  await tell("find", "POST", `${done.path}/steps/find`, `{${done.lease},"name":${json}}`);
  await tell("step", "POST", `${done.path}/steps`, `{${done.lease},"name":"a","result":${json}}`);
  await tell("find a", "POST", `${done.path}/steps/find`, `{${done.lease},"name":"a"}`);
  await tell("result", "POST", `${done.path}/complete`, `{${done.lease},"result":${json}}`);
  const unsaid = await claimed();
  await tell("problem", "POST", `${unsaid.path}/complete`, `{${unsaid.lease},"resultProblem":${json}}`);
  await tell("lease", "POST", `${unsaid.path}/complete`, `{"leaseToken":${json}}`);
  for (const field of ["message", "type", "stack"]) {
    const { path, lease } = await claimed();
    const error = field === "message" ? `"message":${json}` : `"message":"m","${field}":${json}`;
    await tell(`error ${field}`, "POST", `${path}/fail`, `{${lease},"error":{${error}}}`);
    await tell(`failed ${field}`, "GET", path);
    await tell(`attempts ${field}`, "GET", `${path}/attempts`);
  }
  for (const { path } of [done, unsaid]) {
    await tell("job", "GET", path);
    await tell("log", "GET", `${path}/logs`);
    await tell("steps", "GET", `${path}/steps`);
    await tell("result", "GET", `${path}/result`);
  }
}

async function operate(tell: Tell, json: string): Promise<void> {
  await tell("pause", "POST", "/v1/queues/work/pause", `{"reason":${json}}`);
  await tell("patch", "PATCH", "/v1/queues/made", `{"paused":true,"pauseReason":${json}}`);
  await tell("pause schedule", "POST", "/v1/schedules/made/pause", `{"reason":${json}}`);
  await tell("run schedule", "POST", "/v1/schedules/made/run", "{}");
  await tell("token", "POST", "/v1/tokens", `{"name":${json},"scopes":["producer"]}`);
  await tell("token's queues", "POST", "/v1/tokens", `{"name":"q","scopes":["producer"],"queues":[${json}]}`);
  const seen = await tell("preview", "POST", "/v1/jobs/bulk/preview", '{"action":"cancel","q":"queue:made"}');
  const { previewToken } = JSON.parse(seen) as { previewToken?: string };
  await tell(
    "bulk reason",
    "POST",
    "/v1/jobs/bulk",
    `{"previewToken":"${previewToken ?? ""}","perSecond":1,"reason":${json}}`,
  );
}

async function look(tell: Tell, json: string): Promise<void> {
  await tell("all", "GET", "/v1/jobs");
  for (const id of ["1", "2", "3", "4"]) await tell("payload", "GET", `/v1/jobs/${id}/payload`);
  for (const list of ["queues", "schedules", "schedules/made", "tokens", "audit", "workers", "dead/groups"]) {
    await tell(list, "GET", `/v1/${list}`);
  }
  const value = JSON.parse(json) as unknown;
  const text = typeof value === "string" ? value : json;
  if (text.length > 900) return;
  const q = JSON.stringify(`payload="${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  await tell("search in a body", "POST", "/v1/jobs/bulk/preview", `{"action":"cancel","q":${q}}`);
  // A lone surrogate cannot be in an address.
  const word = encodeURIComponent(text.toWellFormed());
  const quoted = `"${text.toWellFormed().replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  for (const term of [
    "",
    "tag:",
    "key:",
    "name:",
    "worker:",
    "error~",
    "payload=",
    "payload.deep[0].value=",
  ]) {
    for (const asked of [term + quoted, term + text.toWellFormed(), `-${term}${quoted}`]) {
      await tell(`search ${asked}`, "GET", `/v1/jobs?q=${encodeURIComponent(asked)}`);
    }
  }
  for (const filter of ["tag", "name", "queue", "idempotencyKey", "cursor"]) {
    await tell(`filter ${filter}`, "GET", `/v1/jobs?${filter}=${word}`);
  }
  await tell("suggest", "GET", `/v1/suggest?field=tag&prefix=${word}`);
  for (const noun of ["schedules", "queues", "jobs"]) await tell(noun, "GET", `/v1/${noun}/${word}`);
}

test.each(VALUES)("%s has the same outcome on both stores, wherever it is", async (_what, json) => {
  const [sqlite, postgres] = await Promise.all([outcomes("sqlite", json), outcomes("postgres", json)]);
  expect(sqlite.length).toBeGreaterThan(50);
  expect(sqlite.filter((answer) => / 5\d\d /.test(answer.slice(0, 100)))).toEqual([]);
  expect(postgres).toEqual(sqlite);
});
