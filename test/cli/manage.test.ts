import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { IssuedTokenView } from "../../src/api/token.js";
import { KonveierClient } from "../../src/client/index.js";
import { runCli, startCli } from "../support/cli.js";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";
import { tempDirectory } from "../support/temp-directory.js";
import { issueToken } from "../support/tokens.js";

vi.setConfig({ testTimeout: 120_000 });

test.each([
  "http://me:hush@localhost:1",
  "http://me:hu/sh@localhost:1",
  "me:hush@localhost:1",
  "http://me:hush@[::1",
])("an address with a password is refused and not repeated: %s", async (url) => {
  const ends = await Promise.all([
    runCli(null, ["stats", "--url", url], { env: { API_TOKEN } }),
    runCli(null, ["stats"], { env: { API_TOKEN, KONVEIER_URL: url } }),
  ]);
  for (const { code, stderr } of ends) {
    expect(code).toBe(78);
    expect(stderr).toMatch(/^konveier: .*address/);
    expect(stderr).not.toMatch(/hush|hu\/|me:/);
  }
});

test.each(["http://127.0.0.1:9/?x=1", "http://127.0.0.1:9/#x", "http://127.0.0.1:9?"])(
  "an address behind which no path can stand is refused: %s",
  async (url) => {
    const { code, stderr } = await runCli(null, ["stats", "--url", url], { env: { API_TOKEN } });
    expect([code, stderr]).toEqual([78, expect.stringContaining("is no address of a server")]);
    expect(() => new KonveierClient({ url, token: "t" })).toThrow("no query and no fragment");
  },
);

test("limits of a queue are set, and taken away with none", async () => {
  const server = await startHttpServer();
  const run = (...args: string[]) => runCli(server, args);
  const limits = ["--concurrency", "--rate", "--key-concurrency", "--key-rate", "--ageing", "--max-length"];
  const given = ["20", "100/s", "2", "5/10m", "1h", "7"];
  const set = await run(
    "queues",
    "limit",
    "q",
    ...limits.flatMap((name, place) => [name, given[place] ?? ""]),
  );
  expect(set.json).toMatchObject({
    concurrency: 20,
    rateLimit: { max: 100, perMs: 1_000 },
    perKey: { concurrency: 2, rateLimit: { max: 5, perMs: 600_000 } },
    ageingMs: 3_600_000,
    maxLength: 7,
  });
  const none = await run("queues", "limit", "q", ...limits.flatMap((name) => [name, "none"]));
  expect([none.code, none.stderr]).toEqual([0, ""]);
  expect(none.json).toMatchObject({
    ...{ concurrency: null, rateLimit: null, ageingMs: null, maxLength: null },
    perKey: { concurrency: null, rateLimit: null },
  });
  expect((await run("queues", "limit", "q")).code).toBe(2);
});

test("a limit of a queue that is not there is said to be one", async () => {
  const server = await startHttpServer();
  await server.post("/v1/jobs", { name: "a", queue: "emails" });
  const limit = (queue: string) => runCli(server, ["queues", "limit", queue, "--concurrency", "2"]);
  expect((await limit("emials")).stderr).toContain("no job has been in emials so far; did you mean emails?");
  expect((await limit("emails")).stderr).toBe("");
});

test.each([
  [
    ["queues", "limit", "q", "--rate", "0/s"],
    "the number of --rate must be a whole number from 1 to 1000000.",
  ],
  [["queues", "limit", "q", "--rate", "1/32d"], "the time of --rate must be from 1ms to 31d."],
  [["queues", "limit", "q", "--key-rate", "1/0s"], "the time of --key-rate must be from 1ms to 31d."],
  [["queues", "limit", "q", "--ageing", "0s"], "--ageing must be from 1ms to 366d, or null."],
  [["enqueue", "a", "--expires-in", "0s"], "--expires-in must be from 1ms to 36500d."],
  [["schedules", "put", "s", "--name", "a", "--every", "1ms"], "--every must be from 1s to 366d."],
])("the bounds of %j are told as the command takes them", async (args, fault) => {
  const server = await startHttpServer();
  const { code, stderr } = await runCli(server, args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`konveier: ${fault} (validation_failed`)]);
});

test("a database that cannot be meant ends a command as it ends the server", async () => {
  const cwd = tempDirectory();
  writeFileSync(join(cwd, "jobs.mjs"), 'export const jobs = [{ name: "a", handler: () => null }];');
  const unknown = "mysql://me:hush@localhost/x";
  const ends = await Promise.all(
    [
      ["tokens", "list", "--database", unknown],
      ["tokens", "revoke", "a", "--database", "file:k.db"],
      ["tokens", "list", "--database", "sqlite:none.db"],
      ["worker", "jobs.mjs", "--queues", "q", "--database", unknown],
    ].map((args) => runCli(null, args, { cwd })),
  );
  for (const { code, stderr } of ends) {
    expect([code, stderr.includes("hush")], stderr).toEqual([78, false]);
    expect(stderr).toMatch(/^konveier: .*(Use sqlite:|there is no database)/);
  }
});

describe("konveier", () => {
  test("pauses queues, and shows queues, workers, figures and the audit log", async () => {
    const server = await startHttpServer();
    await server.post("/v1/claim", { workerId: "remote-1", queues: ["q"] });
    const run = (...args: readonly string[]) => runCli(server, args);
    const paused = await run("queues", "pause", "q", "--reason", "down");
    expect(paused.json).toMatchObject({ name: "q", pauseReason: "down" });
    expect(paused.stderr).toContain("no job has been in q so far");
    expect((await run("queues", "pause", "q", "--reason", "down")).stderr).toBe("");
    await server.post("/v1/jobs", { name: "a", queue: "emails" });
    expect((await run("queues", "pause", "emials")).stderr).toContain("did you mean emails?");
    expect((await run("queues", "pause", "emails")).stderr).toBe("");
    const [list, get, workers, stats, figures, audit, missing] = await Promise.all([
      run("queues", "list", "-o", "table"),
      run("queues", "get", "q"),
      run("workers", "-o", "ids"),
      run("stats"),
      run("stats", "-o", "table"),
      run("audit", "--limit", "1"),
      run("queues", "get", "nothing"),
    ]);
    expect(list.stdout).toMatch(/^QUEUE .*\nemails .*\nemials .*\nq .* down\n$/);
    expect(get.json).toMatchObject({ unhandled: [] });
    expect(workers).toMatchObject({ code: 0, stdout: "remote-1\n" });
    expect(stats.json).toMatchObject({ queues: [{ name: "emails" }, { name: "emials" }, { name: "q" }] });
    expect(figures.stdout).toMatch(/^QUEUE .*\nemails .*\nemials .*\nq .*\nall .*\n$/);
    expect(audit.lines).toMatchObject([
      { action: "pauseQueue", target: "emails", detail: null, status: 200 },
    ]);
    expect(missing.code).toBe(3);
    expect((await run("queues", "resume", "q")).json).toMatchObject({ pausedAt: null });
  });

  test("makes, shows and changes schedules", async () => {
    const server = await startHttpServer();
    const run = (...args: readonly string[]) => runCli(server, ["schedules", ...args]);
    const rule = ["--every", "5m", "--name", "b", "--queue", "q", "--payload", "[1]", "--overlap", "skip"];
    const [cron, every, neither, wrong] = await Promise.all([
      run("put", "a", "--cron", "30 8 * * MON", "--timezone", "Europe/Berlin", "--name", "a"),
      run("put", "b", ...rule),
      run("put", "c", "--name", "c"),
      run("put", "c", "--name", "c", "--cron", "99 * * * *"),
    ]);
    expect(cron.json).toMatchObject({ key: "a", timezone: "Europe/Berlin" });
    expect(every.json).toMatchObject({
      everyMs: 300_000,
      overlap: "skip",
      payload: [1],
      job: { queue: "q" },
    });
    expect([neither.code, wrong.code]).toEqual([2, 2]);
    expect(wrong.stderr).toContain("--cron");
    const [list, get, preview, paused, job] = await Promise.all([
      run("list", "-o", "ids"),
      run("get", "a", "-o", "table"),
      run(
        "preview",
        "30 2 * * *",
        "--timezone",
        "Europe/Berlin",
        "-n",
        "2",
        "--after",
        "2026-03-28T12:00:00Z",
      ),
      run("pause", "a", "--reason", "why"),
      run("run", "b"),
    ]);
    expect(list.stdout).toBe("a\nb\n");
    expect(get.stdout).toMatch(/^rule +30 8 \* \* MON$/m);
    expect(preview.lines).toMatchObject([
      { at: "2026-03-29T01:00:00.000Z", note: expect.any(String) as string },
      { at: "2026-03-30T00:30:00.000Z", note: null },
    ]);
    expect(paused.json).toMatchObject({ pauseReason: "why" });
    expect(job.lines).toMatchObject([{ name: "b", state: "pending" }]);
    const [resumed, deleted] = await Promise.all([run("resume", "a"), run("delete", "b")]);
    expect(resumed.json).toMatchObject({ pausedAt: null });
    expect(deleted.lines).toEqual([{ key: "b", action: "deleted" }]);
  });

  test("applies a file of schedules, and deletes others only when told so", async () => {
    const server = await startHttpServer();
    await server.send("PUT", "/v1/schedules/old", { json: { cron: "@daily", job: { name: "a" } } });
    const file = join(tempDirectory(), "schedules.json");
    const apply = (...args: readonly string[]) => runCli(server, ["schedules", "apply", "-f", file, ...args]);
    writeFileSync(file, JSON.stringify({ new: { everyMs: 60_000, job: { name: "b" } } }));
    const unsaid = await apply("--prune");
    expect(unsaid).toMatchObject({ code: 2, stdout: "" });
    expect(unsaid.stderr).toContain("old? Nothing was changed: say so with --yes");
    expect((await server.get("/v1/schedules/new")).status).toBe(404);
    writeFileSync(
      file,
      JSON.stringify({ wrong: { cron: "x", job: {} }, new: { everyMs: 60_000, job: { name: "b" } } }),
    );
    const partly = await apply("--prune", "--yes");
    expect(partly).toMatchObject({ code: 7, lines: [{ key: "new", action: "written" }] });
    expect(partly.stderr).toContain("konveier: wrong: ");
    expect((await server.get("/v1/schedules/old")).status).toBe(200);
    writeFileSync(file, JSON.stringify({ new: { everyMs: 60_000, job: { name: "b" } } }));
    expect(await apply("--prune", "--yes")).toMatchObject({
      code: 0,
      lines: [
        { key: "new", action: "written" },
        { key: "old", action: "deleted" },
      ],
    });
  });

  test("follows events, also through an end of the stream", async () => {
    const server = await startHttpServer();
    const before = await server.send("GET", "/v1/events", { headers: { accept: "application/json" } });
    await server.post("/v1/jobs", { name: "a" });
    const after = String(before.body["lastId"]);
    const some = await runCli(server, ["events", "--after", after, "--topics", "job", "--limit", "1"]);
    expect(some.lines).toMatchObject([{ type: "job", transition: "enqueue", name: "a" }]);
    const connection = server.nextConnection();
    const follower = startCli(server, ["events", "--queue", "q", "--after", after, "--state", "pending"]);
    const socket = await connection;
    await server.post("/v1/jobs", { name: "b", queue: "q" });
    await follower.until(() => follower.output.includes('"name":"b"'));
    socket.destroy();
    await server.post("/v1/jobs", { name: "c", queue: "q" });
    await follower.until(() => follower.output.includes('"name":"c"'));
    expect(follower.output).toContain("connecting again");
    follower.kill("SIGINT");
    expect(await follower.exited).toEqual({ code: 130, signal: null });
    expect(follower.output.match(/"name":"b"/g)).toHaveLength(1);
  });

  test("makes and ends tokens, over HTTP and on the file", async () => {
    const server = await startHttpServer();
    const tokens = (...args: readonly string[]) => runCli(server, ["tokens", ...args]);
    const file = (...args: readonly string[]) =>
      runCli(null, ["tokens", ...args, "--database", `sqlite:${server.file}`], {
        env: { KONVEIER_TOKEN: undefined },
      });
    const limits = ["--queue", "e*,f", "--expires", "90d"];
    const [made, rescued, wrong, missing] = await Promise.all([
      tokens("create", "--name", "mailer", "--scope", "worker,producer", ...limits),
      file("create", "--name", "me", "--scope", "admin"),
      file("create", "--name", "me", "--scope", "boss"),
      runCli(null, ["tokens", "list", "--database", `sqlite:${server.file}.other`]),
    ]);
    expect(made.json).toMatchObject({ name: "mailer", scopes: ["worker", "producer"], queues: ["e*", "f"] });
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(missing.code).toBe(78);
    const admin = rescued.json as IssuedTokenView;
    expect((await server.send("GET", "/v1/audit", { token: admin.token })).status).toBe(200);
    const { id } = made.json as IssuedTokenView;
    const rotated = await tokens("rotate", id, "--overlap", "1h");
    expect(rotated.json).toMatchObject({ name: "mailer", queues: ["e*", "f"] });
    const [list, revoked, revokedAgain] = await Promise.all([
      tokens("list", "-o", "table"),
      file("revoke", admin.id),
      tokens("revoke", "nobody"),
    ]);
    expect(list.stdout.split("\n")).toHaveLength(5);
    expect(list.stdout).not.toContain("kv_");
    expect(revoked).toMatchObject({ code: 0, lines: [{ id: admin.id, revoked: true }] });
    expect(revokedAgain.code).toBe(3);
    expect((await server.send("GET", "/v1/audit", { token: admin.token })).status).toBe(401);
    const { items } = (await server.get("/v1/audit")).json as { items: Record<string, unknown>[] };
    const local = items
      .filter(({ tokenId }) => tokenId === "cli")
      .map(({ action, status }) => [action, status]);
    expect(local).toContainEqual(["revokeToken", 200]);
    expect(local).toContainEqual(["createToken", 200]);
  });

  test("says what is wrong with the connection, the token and the words", async () => {
    const server = await startHttpServer();
    const reader = await issueToken(server, ["read-only"]);
    const file = join(tempDirectory(), "token");
    writeFileSync(file, `${API_TOKEN}\n`);
    const run = (args: readonly string[], env: Record<string, string | undefined> = {}) =>
      runCli(server, args, { env });
    const outcomes = await Promise.all([
      run(["jobs", "list", "--token-file", file], { KONVEIER_TOKEN: "wrong" }),
      run(["jobs", "list"], { KONVEIER_TOKEN: undefined, API_TOKEN_FILE: file }),
      run(["jobs", "list"], { KONVEIER_TOKEN: "wrong" }),
      run(["queues", "pause", "q"], { KONVEIER_TOKEN: reader.token }),
      run(["jobs", "list"], { KONVEIER_TOKEN: undefined }),
      run(["jobs", "list"], { KONVEIER_URL: "server:8085" }),
      run(["jobs", "list", "-q", "state:ded"]),
      run(["jobs", "list", "--limit", "0"]),
      run(["jobs", "lst"]),
      run(["jobs", "list", "--url", "http://127.0.0.1:9"]),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 5, 5, 78, 78, 2, 2, 2, 6]);
    for (const { stdout } of outcomes) expect(stdout).toBe("");
    for (const { stderr } of outcomes.slice(2)) expect(stderr).toMatch(/^konveier: /);
    // Once, with its place.
    expect(outcomes[6].stderr).toMatch(/^konveier: .* at position 6: .* \(bad_filter, request \S+\)\n$/);
  });

  test("names the argument that is wrong, and not its place in the request", async () => {
    const server = await startHttpServer();
    const said = async (...args: readonly string[]) => {
      const { code, stderr } = await runCli(server, args);
      return [code, stderr.split(" (")[0]];
    };
    const put = ["schedules", "put", "a"];
    const outcomes = await Promise.all([
      said(...put, "--name", "a", "--cron", "99 * * * *"),
      said(...put, "--name", "a b", "--cron", "* * * * *"),
      said("schedules", "preview", "99 * * * *"),
      said("enqueue", "a", "--tag", ""),
      said("enqueue", "a b"),
      said("tokens", "create", "--name", "a", "--scope", "nope"),
      said("jobs", "get", "abc"),
      said("jobs", "explain", "0"),
      said("flows", "get", ""),
      said("flows", "cancel", "abc"),
      said("events", "--after=-1"),
      said("enqueue", "a", "--run-at", "2030-01-01T00:00:00Z", "--delay", "1m"),
      said("enqueue", "a", "--expires-in", "1m", "--delay", "1h"),
    ]);
    expect(outcomes).toEqual([
      [2, expect.stringMatching(/^konveier: --cron: the minute field, /)],
      [2, expect.stringMatching(/^konveier: --name must be /)],
      [2, expect.stringMatching(/^konveier: the expression: the minute field, /)],
      [2, expect.stringMatching(/^konveier: --tag must be /)],
      [2, expect.stringMatching(/^konveier: the name must be /)],
      [2, expect.stringMatching(/^konveier: --scope must be /)],
      [2, 'konveier: "abc" is no id of a job: ids are whole numbers from 1\n'],
      [2, 'konveier: "0" is no id of a job: ids are whole numbers from 1\n'],
      [2, 'konveier: "" is no id of a flow: ids are whole numbers from 1\n'],
      [2, 'konveier: "abc" is no id of a flow: ids are whole numbers from 1\n'],
      [2, expect.stringContaining("It must be a whole number from 0")],
      [2, "konveier: --run-at excludes --delay."],
      [2, "konveier: --expires-in must be more than --delay."],
    ]);
  });

  test("says what became of a job whose unique key was taken", async () => {
    const server = await startHttpServer();
    const unique = ["enqueue", "a", "--unique", "k"];
    await runCli(server, unique);
    expect((await runCli(server, unique)).stderr).toBe("Its job 1 is there already.\n");
    const replaced = await runCli(server, [...unique, "--on-conflict", "replace", "--priority", "9"]);
    expect(replaced.stderr).toBe(
      "Its job 1 is there already. If it waits, it is what you have just said now.\n",
    );
    expect((await runCli(server, ["jobs", "get", "1"])).json).toMatchObject({ priority: 9 });
  });

  test("says why a job is not running, also when it was waited for in vain", async () => {
    const server = await startHttpServer();
    const waited = await runCli(server, ["enqueue", "a", "--wait", "--wait-timeout", "10ms"]);
    expect(waited.code).toBe(1);
    expect(waited.stderr).toMatch(/still pending after 10ms\. .*worker.* `konveier jobs get 1` shows it/);
    const [json, table] = await Promise.all([
      runCli(server, ["jobs", "explain", "1"]),
      runCli(server, ["jobs", "explain", "1", "-o", "table"]),
    ]);
    expect(json.json).toMatchObject({ state: "pending", reason: "no_worker" });
    expect(table.stdout).toMatch(/^reason +no_worker$/m);
  });
});
