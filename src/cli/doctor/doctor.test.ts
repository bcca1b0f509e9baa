import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import { Konveier } from "../../konveier.js";
import { checkDatabase, checkFilesystem } from "./database.js";
import { examine } from "./doctor.js";
import { checkDirectory } from "./files.js";
import type { Finding } from "./finding.js";
import { checkDisk, checkNode, checkOpenFiles } from "./machine.js";

let directory: string;
let file: string;

beforeEach(async () => {
  directory = join(tempDirectory(), "data");
  file = join(directory, "konveier.db");
  const library = await Konveier.open(`sqlite:${file}`);
  await library.enqueue("a", {});
  await library.close();
});

function look(env: Readonly<Record<string, string>> = {}, url?: string): Promise<readonly Finding[]> {
  const all = { PORT: "0", DATABASE_URL: `sqlite:${file}`, ...env };
  return examine(all, url === undefined ? {} : { url });
}

/** What is not in order, by check. */
async function troubles(
  env?: Readonly<Record<string, string>>,
  url?: string,
): Promise<Record<string, string>> {
  const found = (await look(env, url)).filter(({ verdict }) => verdict !== "ok");
  for (const { advice } of found) expect(advice).not.toBeNull();
  return Object.fromEntries(found.map(({ check, verdict, found: text }) => [check, `${verdict}: ${text}`]));
}

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("konveier doctor", () => {
  it("finds nothing wrong with a database as the program makes it, and one that is not there yet", async () => {
    for (const env of [{}, { DATABASE_URL: `sqlite:${directory}/new/x.db` }]) {
      // How much room there is depends on the machine.
      const found = (await look(env)).filter(({ check }) => check !== "disk" && check !== "open-files");
      expect(found.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
    }
  });

  it.each([
    [
      "a database that others may read",
      () => {
        chmodSync(file, 0o644);
      },
      "permissions",
      /^fault: other users may read/,
    ],
    [
      "a directory that others may write",
      () => {
        chmodSync(directory, 0o777);
      },
      "directory",
      /^fault: every user may write/,
    ],
    [
      "a token that others may read",
      () => {
        writeFileSync(join(directory, "api-token"), "x", { mode: 0o644 });
      },
      "token",
      /^fault: other users may read/,
    ],
    [
      "a token that is a link",
      () => {
        symlinkSync(file, join(directory, "api-token"));
      },
      "token",
      /^fault: .* no plain file/,
    ],
    [
      "a damaged file",
      () => {
        writeFileSync(file, "x".repeat(8_192));
      },
      "database",
      /^fault: .*no SQLite database/,
    ],
    [
      "a file that is cut within its last page",
      () => {
        truncateSync(file, statSync(file).size - 100);
      },
      "integrity",
      /^fault: .*it ends after 3996 bytes of a page of 4096/,
    ],
    [
      "a newer schema",
      () => {
        change("PRAGMA user_version = 9999");
      },
      "database",
      /^fault: .*schema version 9999/,
    ],
    [
      "an older schema",
      () => {
        change("PRAGMA user_version = 1");
      },
      "database",
      /^warning: .*schema version 1/,
    ],
    [
      "another program's database",
      () => {
        change("PRAGMA application_id = 7");
      },
      "database",
      /^fault: .*another program/,
    ],
    [
      "a clock that was put back",
      () => {
        change(`UPDATE jobs SET created_at = ${Date.now() + 3_600_000}`);
      },
      "clock",
      /^fault: .*\b3[56]\d\d s in the future/,
    ],
  ] as const)("tells of %s", async (_what, seed, check, says) => {
    seed();
    expect((await troubles())[check]).toMatch(says);
  });

  it("tells of damage to any page of the database", () => {
    const whole = readFileSync(file);
    const size = 4_096;
    expect(whole.length / size).toBeGreaterThan(30);
    for (let at = 0; at < whole.length; at += size) {
      const damaged = Buffer.from(whole);
      damaged.fill(0xa5, at, at + 3_000);
      writeFileSync(file, damaged);
      const faults = checkDatabase(file, Date.now()).filter(({ verdict }) => verdict === "fault");
      expect([at / size, faults.length]).toEqual([at / size, 1]);
    }
  });

  it("tells of an index that does not have what its table has", () => {
    const db = new Database(file);
    db.exec(
      "CREATE TABLE t (a); CREATE INDEX i ON t (a); CREATE TABLE empty (a); CREATE INDEX j ON empty (a)",
    );
    db.exec("INSERT INTO t VALUES (1)");
    const page = db.prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck();
    const [of, from] = [page.get("i") ?? 0, page.get("j") ?? 0];
    db.pragma("wal_checkpoint(TRUNCATE)");
    db.close();
    const bytes = readFileSync(file);
    bytes.copy(bytes, (of - 1) * 4_096, (from - 1) * 4_096, from * 4_096);
    writeFileSync(file, bytes);
    expect(checkDatabase(file, Date.now())).toContainEqual(
      expect.objectContaining({ check: "integrity", verdict: "fault" }),
    );
  });

  it("tells of a log that grew large", async () => {
    const db = new Database(file);
    onTestFinished(() => {
      db.close();
    });
    db.exec("UPDATE jobs SET priority = 1");
    truncateSync(`${file}-wal`, 300 * 1024 * 1024);
    expect((await troubles())["wal"]).toMatch(/^warning: the write-ahead log has 300 MiB/);
  });

  it.each([
    [{ KONVEIER_CONCURENCY: "5" }, "configuration", /^warning: .*KONVEIER_CONCURRENCY/],
    [{ KONVEIER_LEASE_MS: "x" }, "configuration", /^fault: .*KONVEIER_LEASE_MS/s],
    [{ KONVEIER_RETENTION_COMPLETED_MS: "never" }, "retention", /^warning: .*without end/],
    [{ KONVEIER_RETENTION_DEAD_MS: "0" }, "retention", /^warning: dead jobs/],
    [{ DATABASE_URL: "sqlite::memory:" }, "database", /^warning: it is in memory/],
    [{ HOST: "192.0.2.1", PORT: "18085" }, "server", /^fault: /],
  ] as const)("tells of the environment %j", async (env, check, says) => {
    expect((await troubles(env))[check]).toMatch(says);
  });

  it("tells our server from another program, and one that is ready from one that is not", async () => {
    const json = (status: number, body: string) =>
      listening((_request, response) => response.writeHead(status).end(body));
    expect((await troubles({}, await json(200, '{"status":"ok"}')))["server"]).toBeUndefined();
    expect((await troubles({}, await json(503, '{"status":"unavailable"}')))["server"]).toMatch(
      /is not ready$/,
    );
    const other = await json(200, "<html>");
    expect((await troubles({ PORT: new URL(other).port }))["server"]).toMatch(
      /^fault: another program answers/,
    );
    expect((await troubles({}, await closed()))["server"]).toMatch(/^fault: nobody listens/);
    expect((await troubles({}, "nonsense"))["server"]).toMatch(/^fault: nonsense is no URL/);
  });

  it("tells of a machine that is too small or too old", () => {
    const MIB = 1024 * 1024;
    expect([63, 511, 512].map((free) => checkDisk(free * MIB).verdict)).toEqual(["fault", "warning", "ok"]);
    expect(["20.18.3", "18.20.0", "20.19.0", "24.1.0"].map((node) => checkNode(node).verdict)).toEqual([
      "fault",
      "fault",
      "ok",
      "ok",
    ]);
    const limits = (soft: string) =>
      `Limit  Soft Limit  Hard Limit\nMax open files            ${soft}    4096   files\n`;
    expect(["256", "1024", "65536", "unlimited"].map((soft) => checkOpenFiles(limits(soft)).verdict)).toEqual(
      ["fault", "warning", "ok", "ok"],
    );
  });

  it.runIf(process.platform === "linux")("tells of a network file system", () => {
    expect(checkFilesystem(directory, () => 0x6969)).toMatchObject({
      verdict: "fault",
      found: expect.stringContaining("NFS") as string,
    });
  });

  it("tells of a directory that is none", () => {
    expect(checkDirectory(file)).toMatchObject({
      verdict: "fault",
      found: expect.stringContaining("no directory") as string,
    });
  });

  it.skipIf(process.getuid?.() === 0)("tells of a directory that may not be written", () => {
    const locked = join(tempDirectory(), "locked");
    mkdirSync(locked, { mode: 0o500 });
    expect(checkDirectory(locked).verdict).toBe("fault");
    expect(checkDirectory(join(locked, "data")).verdict).toBe("fault");
  });
});

function change(sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

/** An address where nobody listens any more. */
async function closed(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}
