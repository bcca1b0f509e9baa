import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { runCli, startCli } from "../support/cli.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { tempDirectory } from "../support/temp-directory.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

async function enqueue(server: HttpServer, ...names: readonly string[]): Promise<void> {
  for (const name of names) await server.post("/v1/jobs", { name });
}

/** Claims the next job and lets it fail for good. */
async function failOne(server: HttpServer, message: string): Promise<void> {
  const { jobs } = (await server.post("/v1/claim", { workerId: "w", queues: ["default"] })).as(ClaimView);
  const { id, leaseToken } = jobs[0]!;
  await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error: { message }, retry: "never" });
}

async function states(server: HttpServer): Promise<unknown> {
  const { items } = (await server.get("/v1/jobs")).json as { items: { id: string; state: string }[] };
  return Object.fromEntries(items.map(({ id, state }) => [id, state]));
}

describe.skipIf(!existsSync("/dev/full"))("a command whose output cannot be written", () => {
  test("says so and fails", async () => {
    const server = await startHttpServer();
    await enqueue(server, "a");
    const program = ["jobs", "list", "-o", "json"];
    const { code, stdout, stderr } = await runCli(server, program, { stdoutTo: "/dev/full" });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("konveier: The output cannot be written: ENOSPC");
  });
});

test("an https address of a server that has no TLS is said to be one", async () => {
  const url = (await startHttpServer()).url.replace("http:", "https:");
  const { code, stderr } = await runCli({ url }, ["jobs", "list"]);
  expect(stderr).toBe(
    `konveier: ${url} answers without TLS; use http:// instead. --url or KONVEIER_URL says where it is.\n`,
  );
  expect(code).toBe(6);
});

describe("konveier enqueue", () => {
  test("makes a job with all that is said about it", async () => {
    const server = await startHttpServer();
    const file = join(tempDirectory(), "payload.json");
    writeFileSync(file, '{"to": "ada"}');
    const settings = [
      "--priority",
      "7",
      "--max-attempts",
      "3",
      "--timeout",
      "5m",
      "--tag",
      "a,b",
      "--tag",
      "c",
    ];
    const [all, piped, keyed] = await Promise.all([
      runCli(server, ["enqueue", "a", "--queue", "q", "--payload-file", file, "--delay", "1h", ...settings]),
      runCli(server, ["enqueue", "b", "--payload-file", "-", "-o", "ids"], { stdin: "[1.50]" }),
      runCli(server, ["enqueue", "c", "--key", "k", "--run-at", "2020-01-01T00:00:00Z", "--payload", "1"]),
    ]);
    expect(all.code).toBe(0);
    const { id } = all.json as { id: string };
    const job = await server.get(`/v1/jobs/${id}`);
    expect(job.body).toMatchObject({
      name: "a",
      queue: "q",
      state: "scheduled",
      priority: 7,
      maxAttempts: 3,
      timeoutMs: 300_000,
      tags: ["a,b", "c"],
    });
    expect((await server.get(`/v1/jobs/${piped.words[0] ?? ""}/payload`)).json).toEqual([1.5]);
    expect(keyed.json).toMatchObject({ state: "pending" });
    const reused = await runCli(server, ["enqueue", "c", "--key", "k", "--payload", "2"]);
    expect(reused).toMatchObject({ code: 4, stdout: "" });
    expect(reused.stderr).toContain("idempotency_key_reused");
  });

  test("waits for the result", async () => {
    const server = await startHttpServer();
    const waiting = runCli(server, ["enqueue", "good", "--wait"]);
    const failing = runCli(server, ["enqueue", "bad", "--queue", "bad", "--wait"]);
    const late = runCli(server, ["enqueue", "a", "--queue", "nobody", "--wait", "--wait-timeout", "10ms"]);
    const claim = async (queue: string) => {
      const answer = await server.post("/v1/claim", { workerId: "w", queues: [queue], waitMs: 30_000 });
      return answer.as(ClaimView).jobs[0]!;
    };
    const [good, bad] = await Promise.all([claim("default"), claim("bad")]);
    await server.post(`/v1/jobs/${good.id}/complete`, {
      leaseToken: good.leaseToken,
      result: { x: "\u009b" },
    });
    const error = { message: "\u001b]0;owned\u0007no\nway" };
    await server.post(`/v1/jobs/${bad.id}/fail`, { leaseToken: bad.leaseToken, error, retry: "never" });
    expect(await waiting).toMatchObject({ code: 0, stdout: '{"x":"\\u009b"}\n', stderr: "" });
    const failed = await failing;
    expect(failed).toMatchObject({ code: 8, stdout: "" });
    expect(failed.stderr).toBe(`konveier: job ${bad.id} is dead after 1 attempt: Error: ␛]0;owned␇no way\n`);
    expect(await late).toMatchObject({ code: 1 });
  });

  test("takes a file of jobs, and names the lines that are wrong", async () => {
    const server = await startHttpServer();
    const line = (name: string) => `${JSON.stringify({ name })}\n`;
    const many = line("a").repeat(1_000);
    const [good, marked, wrong, broken, half, number] = await Promise.all([
      runCli(server, ["enqueue", "--batch", "-", "-o", "ids"], { stdin: `${line("x")}\n${line("y")}` }),
      runCli(server, ["enqueue", "--batch", "-", "-o", "ids"], { stdin: `\uFEFF${line("x")}${line("y")}` }),
      runCli(server, ["enqueue", "--batch", "-"], { stdin: `${line("x")}\n{"name": "y", "priorty": 1}\n` }),
      runCli(server, ["enqueue", "--batch", "-"], { stdin: `${line("x")}{` }),
      runCli(server, ["enqueue", "--batch", "-", "-o", "ids"], { stdin: `${many}{"nme": "b"}` }),
      runCli(server, ["enqueue", "a", "--payload", "9007199254740993"]),
    ]);
    expect(good).toMatchObject({ code: 0, stderr: "" });
    expect(good.words).toHaveLength(2);
    // As Windows writes UTF-8.
    expect(marked).toMatchObject({ code: 0, stderr: "" });
    expect(marked.words).toHaveLength(2);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain('line 3 /priorty: is not known here; did you mean "priority"?');
    expect(broken).toMatchObject({ code: 2, stdout: "" });
    expect(broken.stderr).toContain("line 2 is not JSON");
    expect(half.code).toBe(7);
    expect(half.words).toHaveLength(1_000);
    expect(half.stderr).toContain("The jobs of lines 1 to 1000 were enqueued");
    expect(number).toMatchObject({ code: 2 });
    expect(number.stderr).toContain("9007199254740993");
  });
});

describe("konveier jobs", () => {
  test("shows jobs in every format, and what is in names does no harm", async () => {
    const server = await startHttpServer();
    await enqueue(server, "bad", "other");
    await failOne(server, "\u001b[2J\u009b31m\u202egone\nsoon");
    const show = (...args: readonly string[]) => runCli(server, ["jobs", ...args]);
    const [lines, table, json, ids, count, detail, attempts, payload, logs] = await Promise.all([
      show("list"),
      show("list", "-o", "table"),
      show("list", "-o", "json", "-q", "state:dead"),
      show("list", "-o", "ids", "--limit", "1"),
      show("count", "-q", "name:other"),
      show("get", "1", "-o", "table"),
      show("get", "1", "--attempts", "-o", "table"),
      show("get", "1", "--payload"),
      show("get", "1", "--logs"),
    ]);
    expect(lines.lines).toMatchObject([{ id: "2" }, { id: "1", state: "dead" }]);
    expect(table.stdout.split("\n")[0]).toBe("ID  STATE    QUEUE    NAME   PRIO  ATTEMPT  CREATED  NOW");
    expect(json.json).toMatchObject([{ id: "1" }]);
    expect(ids).toMatchObject({ code: 0, stdout: "2\n" });
    expect(ids.stderr).toContain("--limit shows more");
    expect(count.json).toMatchObject({ count: 1, capped: false });
    expect(detail.stdout).toContain("last error  Error: ␛[2J�31m�gone soon\n");
    expect(attempts.stdout).toContain("Error: ␛[2J�31m�gone soon");
    expect(payload.stdout).toBe("null\n");
    expect(logs.stdout).toBe("");
    for (const { stdout, code } of [lines, table, json, detail, attempts]) {
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    }
  });

  test("shows which steps of a job are done", async () => {
    const server = await startHttpServer();
    await enqueue(server, "a");
    const { body } = await server.post("/v1/claim", { workerId: "w", queues: ["default"] });
    const [claimed] = body["jobs"] as { leaseToken: string }[];
    for (const step of [{ name: "charge \u202e", result: [7] }, { name: "notify" }]) {
      await server.post("/v1/jobs/1/steps", { leaseToken: claimed!.leaseToken, ...step });
    }
    const [lines, table] = await Promise.all([
      runCli(server, ["jobs", "get", "1", "--steps"]),
      runCli(server, ["jobs", "get", "1", "--steps", "-o", "table"]),
    ]);
    expect(lines.lines).toMatchObject([{ seq: 1, attempt: 1, resultBytes: 3 }, { name: "notify" }]);
    expect(table.stdout).toMatch(/^AT +ATTEMPT +RESULT +NAME\n\S+ +1 +3 bytes +charge �\n\S+ +1 +notify\n$/);
  });

  test("changes jobs by id, and goes on after one that cannot be changed", async () => {
    const server = await startHttpServer();
    await enqueue(server, "a", "b", "c");
    await server.post("/v1/jobs", { name: "d", queue: "other" });
    await server.post("/v1/claim", { workerId: "w", queues: ["other"] });
    const [some, one, missing] = await Promise.all([
      runCli(server, ["jobs", "cancel", "1", "-", "-o", "ids"], { stdin: "99\n2 1\n" }),
      runCli(server, ["jobs", "delete", "4"]),
      runCli(server, ["jobs", "get", "99"]),
    ]);
    expect(some).toMatchObject({ code: 7, stdout: "1\n2\n" });
    expect(some.stderr).toMatch(/^konveier: There is no job 99.*\(job_not_found, request \S+\)\n$/);
    expect(one).toMatchObject({ code: 4, stdout: "" });
    expect(missing.code).toBe(3);
    const [retried, deleted] = await Promise.all([
      runCli(server, ["jobs", "retry", "1"]),
      runCli(server, ["jobs", "delete", "2", "-o", "json"]),
    ]);
    expect(retried.lines).toMatchObject([{ id: "1", state: "pending" }]);
    expect(deleted.json).toEqual([{ id: "2", deleted: true }]);
    expect(await states(server)).toEqual({ 1: "pending", 3: "pending", 4: "running" });
  });

  test("has nothing to do, and is done, when stdin has no ids", async () => {
    const server = await startHttpServer();
    await enqueue(server, "a");
    const none = await runCli(server, ["jobs", "list", "-q", "name:none", "-o", "ids"]);
    expect(none).toMatchObject({ code: 0, stdout: "" });
    const calls = [
      ["retry"],
      ["cancel"],
      ["delete"],
      ["run-now"],
      ["cancel", "--dry-run"],
      ["delete", "--dry-run"],
    ];
    const ends = await Promise.all(
      calls.map((call) => runCli(server, ["jobs", ...call, "-", "-o", "ids"], { stdin: none.stdout })),
    );
    for (const end of ends) {
      expect(end).toMatchObject({ code: 0, stdout: "" });
      expect(end.stderr).toBe("konveier: there are no ids on stdin, so there is nothing to do\n");
    }
    expect(await states(server)).toEqual({ 1: "pending" });
  });

  test("shows what would happen to jobs named by their ids, and changes nothing", async () => {
    const server = await startHttpServer();
    await enqueue(server, "a", "b");
    const [cancel, remove, slow, parts] = await Promise.all([
      runCli(server, ["jobs", "cancel", "1", "2", "--dry-run"]),
      runCli(server, ["jobs", "delete", "1", "--dry-run"]),
      runCli(server, ["jobs", "retry", "1", "--per-second", "5"]),
      runCli(server, ["jobs", "get", "1", "--payload", "--result"]),
    ]);
    expect(cancel.json).toMatchObject({
      action: "cancel",
      matched: 2,
      samples: [{ name: "b" }, { name: "a" }],
    });
    expect(remove.json).toMatchObject({ action: "delete", matched: 1 });
    expect(slow).toMatchObject({ code: 2, stdout: "" });
    expect(slow.stderr).toContain("are for a filter");
    expect(parts).toMatchObject({ code: 2, stdout: "" });
    expect(await states(server)).toEqual({ 1: "pending", 2: "pending" });
  });

  test("changes many by a filter, but only when told so", async () => {
    const server = await startHttpServer();
    await enqueue(server, "a", "a", "b");
    const bulk = (...args: readonly string[]) => runCli(server, ["jobs", "cancel", "-q", "name:a", ...args]);
    const [unsaid, dry, neither] = await Promise.all([
      bulk(),
      bulk("--dry-run"),
      runCli(server, ["jobs", "cancel"]),
    ]);
    expect(unsaid).toMatchObject({ code: 2, stdout: "" });
    expect(unsaid.stderr).toContain("Cancel 2 jobs? Nothing was changed: say so with --yes");
    expect(dry.json).toMatchObject({ action: "cancel", matched: 2, samples: [{ name: "a" }, { name: "a" }] });
    expect(dry.stdout).not.toContain("previewToken");
    expect(neither.code).toBe(2);
    expect(await states(server)).toEqual({ 1: "pending", 2: "pending", 3: "pending" });
    expect(((await server.get("/v1/operations")).json as { items: unknown[] }).items).toEqual([]);

    // Nothing runs operations here: this one goes on when the command is interrupted.
    const running = startCli(server, ["jobs", "cancel", "-q", "name:a", "--yes", "--reason", "why"]);
    await running.until(() => running.output.includes("0 of 2"));
    running.kill("SIGINT");
    expect(await running.exited).toEqual({ code: 130, signal: null });
    expect(running.output).toContain("`konveier operations get 1` shows it");
    const operations = (...args: readonly string[]) => runCli(server, ["operations", ...args]);
    const [list, get] = await Promise.all([operations("list"), operations("get", "1")]);
    expect(list.lines).toMatchObject([{ id: "1", reason: "why" }]);
    expect(get.json).toMatchObject({ state: "running", matched: 2 });
    expect((await operations("cancel", "1")).json).toMatchObject({ state: "cancelled" });
  });
});
