import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { EventLog } from "../support/event-log.js";
import { FakeClock } from "../support/fake-clock.js";
import { tempDirectory } from "../support/temp-directory.js";
import { checkSound } from "./sound-database.js";

it("a running job that has a record of its failure already does not stop the recovery of others", async () => {
  const file = join(tempDirectory(), "konveier.db");
  const clock = new FakeClock();
  const store = openSqliteStore(file, { clock });
  const konveier = Konveier.withStore(store, { clock });
  const events = new EventLog(konveier);
  const odd = await konveier.enqueue("mail.send", {}, { maxAttempts: 1 });
  const plain = await konveier.enqueue("mail.send", {}, { maxAttempts: 1 });
  const request = { workerId: "crashed", queues: ["default"], names: null, leaseMs: 1_000, max: 2 };
  const [claimed] = await store.claims.claim(request);
  expect(claimed?.id).toBe(odd.id);

  // No path of the program leaves this behind: a restored or edited file might.
  const db = new Database(file);
  db.prepare(
    `INSERT INTO attempts (job_id, token, number, worker_id, started_at, finished_at, outcome, error)
     SELECT id, token, attempt, worker_id, started_at, started_at, 'failed', '{"type":"Error","message":"before","stack":null}'
     FROM jobs WHERE id = ?`,
  ).run(odd.id);
  db.close();

  clock.block(1_000);
  konveier.startBackground();
  await clock.advance(10_000);

  for (const { id } of [odd, plain]) {
    expect(await konveier.jobs.get(id)).toMatchObject({ state: "dead", attempt: 1 });
    expect(events.about(id)).toEqual(["job.lost", "job.dead"]);
    expect(await konveier.jobs.attempts(id)).toHaveLength(1);
  }
  expect(events.of("internal.error")).toEqual([]);
  await konveier.close();
  checkSound(file);
});
