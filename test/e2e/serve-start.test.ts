import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/open-store.js";
import {
  eventually,
  spawnServer,
  startServer,
  TOKEN,
  type ServerProcess,
} from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

let cwd: string;

beforeEach(() => {
  cwd = tempDirectory();
});

/** What a start that fails leaves: its exit code and what it said. */
async function failedStart(server: ServerProcess): Promise<{ code: number | null; text: string }> {
  const { code } = await server.exited;
  expect(server.stdout).toBe("");
  return { code, text: server.stderr };
}

/** Bits that say who may do what with a file. */
function modeOf(...path: readonly string[]): number {
  return statSync(join(cwd, ...path)).mode & 0o777;
}

describe("konveier serve", () => {
  it("says first where it is, then serves those who know the token", async () => {
    const server = await startServer({ cwd });
    expect(server.stdout.split("\n")[0]).toMatch(
      /^Konveier \d+\.\d+\.\d+\S* is ready at http:\/\/127\.0\.0\.1:\d+$/,
    );
    expect((await server.get("/v1/queues")).status).toBe(200);
    expect((await fetch(`${server.url}/v1/queues`)).status).toBe(401);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(existsSync(join(cwd, "data", "konveier.db"))).toBe(true);
    expect(await server.logged("server.started")).toMatchObject({ url: server.url, level: "info" });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  it("makes a token when none is given, shows it once, and keeps it for later starts", async () => {
    const first = await startServer({ cwd, env: { API_TOKEN: undefined } });
    const shown = /^API token, shown only once: (\S+)$/m.exec(first.stderr)?.[1] ?? "";
    expect(first.stdout).not.toContain(shown);
    await first.stop();

    const second = await startServer({ cwd, env: { API_TOKEN: undefined } });
    expect(second.stdout + second.stderr).not.toContain(shown);
    // The command that is printed, as a shell would run it.
    const [, file = "", url = ""] = /Authorization: Bearer \$\(cat (\S+)\)" (\S+)/.exec(second.stdout) ?? [];
    const token = readFileSync(join(cwd, file), "utf8").trim();
    expect(token).toBe(shown);
    expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  });

  it("gives two servers that start at once on one database the same token", async () => {
    const servers = [1, 2].map(() => spawnServer({ cwd, env: { API_TOKEN: undefined } }));
    await Promise.all(servers.map((server) => server.ready()));
    const authorization = `Bearer ${readFileSync(join(cwd, "data", "api-token"), "utf8").trim()}`;
    for (const server of servers) {
      expect((await fetch(`${server.url}/v1/queues`, { headers: { authorization } })).status).toBe(200);
    }
    expect(servers.filter((server) => server.stderr.includes("shown only once")).length).toBe(1);
  });

  it("keeps database, log and token to its owner, whatever the umask says", async () => {
    const server = await startServer({ cwd, env: { API_TOKEN: undefined }, before: "umask 000" });
    await server.get("/v1/queues");
    expect(modeOf("data")).toBe(0o700);
    for (const file of ["konveier.db", "konveier.db-wal", "konveier.db-shm", "api-token"]) {
      expect([file, modeOf("data", file)]).toEqual([file, 0o600]);
    }
  });

  it("reads the token from a file", async () => {
    writeFileSync(join(cwd, "secret"), "from-a-file\n");
    const server = await startServer({ cwd, env: { API_TOKEN: undefined, API_TOKEN_FILE: "secret" } });
    const headers = { authorization: "Bearer from-a-file" };
    expect((await fetch(`${server.url}/v1/queues`, { headers })).status).toBe(200);
  });

  it("starts with a warning about a variable that does not exist", async () => {
    const server = await startServer({ cwd, env: { KONVEIER_CONCURENCY: "5" } });
    expect(server.stderr).toContain("Did you mean KONVEIER_CONCURRENCY?");
  });

  it("goes on when nobody reads its output any more, as after `| head -1`", async () => {
    const server = await startServer({ cwd });
    const { url } = server;
    server.closeOutput();
    // Each of these is logged, into a pipe that has no other end.
    for (let round = 0; round < 20; round += 1) expect((await fetch(`${url}/v1/queues`)).status).toBe(401);
    expect((await server.post("/v1/jobs", { name: "some.job" })).status).toBe(201);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  it("does not show secrets in what it writes", async () => {
    const whsec = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;
    const env = { KONVEIER_WEBHOOK_SECRETS: whsec, KONVEIER_LOG_LEVEL: "trace" };
    const server = await startServer({ cwd, env });
    const { body } = await server.post<{ id: string }>("/v1/jobs", {
      name: "webhook.call",
      maxAttempts: 1,
      payload: { url: "http://hooks.invalid/?key=query-secret", body: { password: "body-secret" } },
    });
    await server.get("/v1/jobs?limit=1&tag=query-secret");
    const problems = [
      await server.post("/v1/jobs", { name: "a", payload: "body-secret", unknown: "body-secret" }),
      await server.get("/v1/jobs?nothing=query-secret"),
      await server.get("/v1/nothing?key=query-secret"),
    ];
    await eventually(
      () => server.get<{ state: string }>(`/v1/jobs/${body.id}`),
      (answer) => answer.body.state === "dead",
    );
    const headers = { authorization: `Bearer ${TOKEN}` };
    const told =
      (await (await fetch(`${server.url}/metrics`, { headers })).text()) + JSON.stringify(problems);
    expect(told).toContain("konveier_build_info");
    expect(told).not.toMatch(/query-secret|body-secret|whsec_/);
    expect(told).not.toContain(TOKEN);
    await server.stop();
    expect(server.stdout + server.stderr).not.toMatch(/query-secret|body-secret/);
    expect(server.stdout + server.stderr).not.toContain(whsec);
    expect(server.stdout + server.stderr).not.toContain(TOKEN);
  });
});

describe("a start that fails", () => {
  it("tells every fault of the configuration, and exits with 78", async () => {
    const env = { API_TOKEN: "", KONVEIER_LEASE_MS: "soon" };
    const { code, text } = await failedStart(spawnServer({ cwd, env, args: ["serve", "--port", "http"] }));
    expect(code).toBe(78);
    expect(text).toContain("konveier: The configuration has 3 faults:");
    for (const name of ["API_TOKEN", "--port", "KONVEIER_LEASE_MS"]) expect(text).toContain(`  ${name} `);
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });

  it("says which port is taken, and exits with 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => {
      other.close();
    });
    const { port } = other.address() as AddressInfo;
    // Without a token of its own: it shows none that no server has.
    const env = { PORT: String(port), API_TOKEN: undefined };
    const { code, text } = await failedStart(spawnServer({ cwd, env }));
    expect(code).toBe(1);
    expect(text).toBe(
      `konveier: Port ${port} on 127.0.0.1 is taken by another program. Stop that program, or choose another port, such as PORT=${port + 1}.\n`,
    );
  });

  it("names a file that is no database, and leaves it alone", async () => {
    writeFileSync(join(cwd, "notes.txt"), "These are my notes, and not a database.\n".repeat(30));
    const env = { DATABASE_URL: "sqlite:./notes.txt" };
    const { code, text } = await failedStart(spawnServer({ cwd, env }));
    expect(code).toBe(1);
    expect(text).toMatch(/^konveier: \S+notes\.txt: .*Check the path or restore a backup\.\n$/);
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe(
      "These are my notes, and not a database.\n".repeat(30),
    );
  });

  it("refuses a database of a newer version", async () => {
    await (await openStore(`sqlite:${join(cwd, "newer.db")}`)).close();
    const database = new Database(join(cwd, "newer.db"));
    database.pragma("user_version = 9999");
    database.close();
    const { code, text } = await failedStart(spawnServer({ cwd, env: { DATABASE_URL: "sqlite:newer.db" } }));
    expect(code).toBe(1);
    expect(text).toMatch(/^konveier: \S+newer\.db has schema version 9999, .*Update Konveier.*\n$/);
  });

  it("does not take a token that somebody else has planted", async () => {
    writeFileSync(join(cwd, "planted"), "a-token-that-somebody-else-knows\n", { mode: 0o600 });
    mkdirSync(join(cwd, "data"));
    symlinkSync("../planted", join(cwd, "data", "api-token"));
    const { code, text } = await failedStart(spawnServer({ cwd, env: { API_TOKEN: undefined } }));
    expect(code).toBe(78);
    expect(text).toContain("data/api-token, is a symbolic link");
  });

  it("explains itself for wrong usage, and exits with 2", async () => {
    const { code, text } = await failedStart(spawnServer({ cwd, args: ["serve", "--prot", "1"] }));
    expect(code).toBe(2);
    expect(text).toContain("Did you mean --port?");
  });
});

describe("help", () => {
  it("lists every setting, and the version is there too", async () => {
    const [help, version] = [["serve", "--help"], ["--version"]].map((args) => spawnServer({ cwd, args }));
    expect(await help?.exited).toEqual({ code: 0, signal: null });
    expect(help?.stdout).toContain("KONVEIER_WEBHOOK_ALLOW_CIDRS");
    expect(await version?.exited).toEqual({ code: 0, signal: null });
    expect(version?.stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});
