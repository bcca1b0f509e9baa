import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.js";
import { OwnPostgres } from "../support/own-postgres.js";
import { checkBooks } from "../support/recount.js";
import { startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { allCompleted, goingOn, Producer, recovered, unready } from "../support/webhook-load.js";
import { Sink } from "../support/webhook-sink.js";

test("the database is stopped in every way and comes back, and no job is lost or confirmed in vain", async () => {
  const postgres = await OwnPostgres.start();
  const sink = await Sink.start();
  const server = await startServer({
    cwd: tempDirectory(),
    env: {
      DATABASE_URL: postgres.url,
      KONVEIER_LEASE_MS: "5000",
      KONVEIER_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      KONVEIER_LOG_LEVEL: "warn",
    },
  });
  const producer = new Producer(server, sink);
  await goingOn(producer);
  for (const how of ["fast", "immediate"] as const) {
    // Away until the server has said so, then away again as soon as it is back.
    await postgres.stop(how);
    await unready(server);
    await postgres.startAgain();
    await postgres.stop(how);
    await postgres.startAgain();
    await recovered(`stopped by a ${how} shutdown`, producer, server);
  }
  await producer.stop();
  const store = await openPostgresStore(postgres.url);
  onTestFinished(() => store.close());
  await allCompleted(store, producer.accepted);
  expect([...producer.accepted].filter((key) => !sink.deliveries.has(`/${key}`))).toEqual([]);
  await checkBooks(store);
  expect(server.stderr).not.toContain("internal.error");
});
