import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/open-store.js";
import { Konveier } from "../../src/konveier.js";
import { Command, konveier, type Outcome } from "../support/command.js";
import { allJobs, checkBooks } from "../support/recount.js";
import { startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

let cwd: string;

beforeEach(() => {
  cwd = tempDirectory();
});

function file(name: string): string {
  return join(cwd, name);
}

function backup(...args: readonly string[]): Promise<Outcome> {
  return konveier(["backup", ...args], { cwd, env: { DATABASE_URL: "sqlite:jobs.db" } });
}

async function databaseWith(jobs: number, payload: unknown = {}): Promise<void> {
  const library = await Konveier.open(`sqlite:${file("jobs.db")}`);
  await library.enqueueMany(Array.from({ length: jobs }, () => ({ name: "a", payload })));
  await library.close();
}

/** Enqueues over HTTP until told to stop, and notes what was answered. */
class Producer {
  readonly acknowledged: string[] = [];
  #stopped = false;
  readonly #done: Promise<void>;

  constructor(private readonly server: ServerProcess) {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const { body } = await this.server.post<{ id: string }>("/v1/jobs", {
        name: "a",
        payload: "x".repeat(999),
      });
      this.acknowledged.push(body.id);
    }
  }
}

/** Claims and completes over HTTP until told to stop. */
async function work(server: ServerProcess, stopped: () => boolean): Promise<void> {
  while (!stopped()) {
    const { body } = await server.post<{ jobs: { id: string; leaseToken: string }[] }>("/v1/claim", {
      workerId: "w",
      queues: ["default"],
      max: 5,
    });
    for (const { id, leaseToken } of body.jobs) {
      await server.post(`/v1/jobs/${id}/complete`, { leaseToken, result: id });
    }
  }
}

describe("konveier backup", () => {
  it("under load has every job that was acknowledged before, with its books right, and can be served", async () => {
    const server = await startServer({
      cwd,
      env: { KONVEIER_QUEUES: "unused", DATABASE_URL: "sqlite:jobs.db" },
    });
    const producers = [1, 2, 3].map(() => new Producer(server));
    let stopped = false;
    const working = work(server, () => stopped);
    await vi.waitFor(() => {
      for (const { acknowledged } of producers) expect(acknowledged.length).toBeGreaterThan(20);
    }, 20_000);

    for (const name of ["first.db", "second.db"]) {
      const before = producers.flatMap(({ acknowledged }) => [...acknowledged]);
      const outcome = await backup("--json", name);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: "" });
      const report = JSON.parse(outcome.stdout) as { file: string; jobs: number; bytes: number };
      expect(report).toMatchObject({ file: file(name), bytes: statSync(file(name)).size });
      expect(statSync(file(name)).mode & 0o777).toBe(0o600);

      const copy = await openStore(`sqlite:${file(name)}`);
      onTestFinished(() => copy.close());
      const ids = new Set((await allJobs(copy)).map(({ id }) => id));
      expect(before.filter((id) => !ids.has(id))).toEqual([]);
      expect(report.jobs).toBe(ids.size);
      await checkBooks(copy);
      await copy.close();
    }
    stopped = true;
    await Promise.all([working, ...producers.map((producer) => producer.stop())]);
    await server.stop();

    const restored = await startServer({ cwd, env: { DATABASE_URL: "sqlite:second.db" } });
    expect((await restored.post("/v1/jobs", { name: "a" })).status).toBe(201);
    expect(readdirSync(cwd).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("of a database that nobody uses tells what it did", async () => {
    await databaseWith(3);
    const { code, stdout } = await backup("copy.db");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/copy\.db: 3 jobs, \d+ bytes, schema version \d+/),
    ]);
  });

  it("that is killed leaves no file of that name", async () => {
    await databaseWith(100, "x".repeat(200_000));
    const command = new Command(["backup", "copy.db"], { cwd, env: { DATABASE_URL: "sqlite:jobs.db" } });
    const watcher = watch(cwd, (_event, name) => {
      if (name?.startsWith("copy.db.partial-") === true) command.kill();
    });
    onTestFinished(() => {
      watcher.close();
    });
    expect(await command.outcome).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(existsSync(file("copy.db"))).toBe(false);
    expect((await backup("copy.db")).code).toBe(0);
  });

  it("never writes where something is", async () => {
    await databaseWith(1);
    writeFileSync(file("taken"), "mine");
    symlinkSync(file("nowhere"), file("link"));
    mkdirSync(file("directory"));
    const before = readFileSync(file("jobs.db"));
    for (const [target, says] of [
      ["taken", "exists"],
      ["link", "exists"],
      ["directory", "is a directory"],
      ["jobs.db", "belongs to the database itself"],
      ["jobs.db-wal", "belongs to the database itself"],
      ["missing/copy.db", "is no directory"],
    ] as const) {
      const { code, stderr } = await backup(target);
      expect([target, code, stderr]).toEqual([target, 2, expect.stringContaining(says)]);
    }
    expect(readFileSync(file("taken"), "utf8")).toBe("mine");
    expect(readFileSync(file("jobs.db")).equals(before)).toBe(true);
    expect(readdirSync(cwd).sort()).toEqual(["directory", "jobs.db", "link", "taken"]);
  });

  it("that meets a log only when it is ready leaves nothing behind", async () => {
    await databaseWith(100, "x".repeat(200_000));
    const command = new Command(["backup", "copy.db"], { cwd, env: { DATABASE_URL: "sqlite:jobs.db" } });
    const watcher = watch(cwd, (_event, name) => {
      if (name?.startsWith("copy.db.partial-") === true) writeFileSync(file("copy.db-wal"), "");
    });
    onTestFinished(() => {
      watcher.close();
    });
    expect(await command.outcome).toMatchObject({ code: 2 });
    expect(readdirSync(cwd).filter((name) => name.startsWith("copy.db"))).toEqual(["copy.db-wal"]);
  });

  it("refuses what is no database of Konveier, and leaves nothing behind", async () => {
    expect((await backup("copy.db")).code).toBe(1);
    const other = new Database(file("jobs.db"));
    other.exec("CREATE TABLE t (a)");
    other.close();
    const foreign = await backup("copy.db");
    expect([foreign.code, foreign.stderr]).toEqual([
      1,
      expect.stringContaining("database of another program"),
    ]);
    writeFileSync(file("jobs.db"), "x".repeat(10_000));
    expect((await backup("copy.db")).code).toBe(1);
    const memory = await backup("--database", "sqlite::memory:", "copy.db");
    expect([memory.code, memory.stderr]).toEqual([1, expect.stringContaining("in memory")]);
    expect(readdirSync(cwd)).toEqual(["jobs.db"]);
  });

  it("ends as a server does when the address of the database cannot be meant", async () => {
    const env = { DATABASE_URL: "jobs.db" };
    const { code, stderr } = await konveier(["backup", "copy.db"], { cwd, env });
    expect([code, stderr]).toEqual([78, expect.stringContaining("The database URL has no scheme")]);
  });
});
