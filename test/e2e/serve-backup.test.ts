import { copyFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/open-store.js";
import { allJobs, checkBooks } from "../support/recount.js";
import { startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

/** docs/operating.md says how to make a backup while the server runs; here it is done. */

let cwd: string;

beforeEach(() => {
  cwd = tempDirectory();
});

function file(name: string): string {
  return join(cwd, name);
}

async function idsIn(server: ServerProcess): Promise<string[]> {
  const { body } = await server.get<{ items: { id: string }[] }>("/v1/jobs?limit=500");
  return body.items.map(({ id }) => id);
}

describe("a backup of the running server", () => {
  it("by .backup or VACUUM INTO has every job; a copy of the main file alone has not", async () => {
    const server = await startServer({ cwd });
    const jobs = Array.from({ length: 500 }, (_, index) => ({ name: "unhandled", payload: { index } }));
    await server.post("/v1/jobs/batch", { jobs });
    const ids = await idsIn(server);
    expect(ids.length).toBe(500);

    const database = new Database(file("data/konveier.db"), { readonly: true });
    await database.backup(file("backup.db"));
    database.prepare("VACUUM INTO ?").run(file("vacuum.db"));
    database.close();
    copyFileSync(file("data/konveier.db"), file("copy.db"));
    await server.post("/v1/jobs", { name: "unhandled" });
    await server.stop();

    const restored = await startServer({ cwd, env: { DATABASE_URL: "sqlite:backup.db" } });
    expect(await idsIn(restored)).toEqual(ids);
    const vacuumed = await openStore(`sqlite:${file("vacuum.db")}`);
    await checkBooks(vacuumed);
    expect((await allJobs(vacuumed)).map(({ id }) => id)).toEqual(ids);
    await vacuumed.close();
    const copy = new Database(file("copy.db"), { readonly: true });
    expect(() => copy.prepare("SELECT count(*) FROM jobs").get()).toThrow("no such table: jobs");
    copy.close();
  });
});
