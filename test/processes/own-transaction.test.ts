import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { FakeClock } from "../support/fake-clock.js";
import { tempDirectory } from "../support/temp-directory.js";

/** The waits between two tries have fractions of a millisecond, which wall time does not. */
class WholeClock extends FakeClock {
  override now(): number {
    return Math.floor(super.now());
  }
}

it("an enqueue inside the caller's own transaction waits for its end, within the limit", async () => {
  const file = join(tempDirectory(), "konveier.db");
  const clock = new WholeClock();
  const store = openSqliteStore(file, { clock });
  const konveier = Konveier.withStore(store, { clock });
  const own = new Database(file);

  own.exec("BEGIN IMMEDIATE");
  let id: string | null = null;
  const enqueued = konveier.enqueue("mail.send", {}).then((job) => {
    id = job.id;
  });
  await clock.advance(100);
  expect(id).toBeNull();
  own.exec("COMMIT");
  await clock.advance(20);
  await enqueued;
  expect(await konveier.jobs.get("1")).toMatchObject({ id, state: "pending" });

  own.exec("BEGIN IMMEDIATE");
  const refused = expect(konveier.enqueue("mail.send", {})).rejects.toMatchObject({ code: "store_busy" });
  await clock.advance(20);
  clock.block(5_000);
  await clock.advance(20);
  await refused;
  own.exec("ROLLBACK");

  const { deduplicated } = await konveier.enqueue("mail.send", {}, { idempotencyKey: "later" });
  expect(deduplicated).toBe(false);
  own.close();
  await konveier.close();
});
