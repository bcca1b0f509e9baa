import { expect, test } from "vitest";
import { createContext } from "../../src/engine/context.js";
import { enqueueMany } from "../../src/engine/enqueue.js";
import { SqliteFile } from "../support/sqlite-file.js";
import { checkSound } from "./sound-database.js";

/** A file with a queue that has a rate, a unique key that a second job took over, and a key that is held. */
async function usedFile(): Promise<SqliteFile> {
  const file = new SqliteFile();
  const store = file.open();
  await store.queues.edit("limited", { rateLimit: { max: 10, perMs: 60_000 } });
  const unique = { key: "u", states: ["running"] } as const;
  await enqueueMany(createContext(store), [
    { name: "a", unique },
    { name: "a", unique },
    { name: "a", queue: "limited", rateKey: "k" },
  ]);
  const claim = { workerId: "w", queues: ["limited"], names: null, max: 1, leaseMs: 60_000 };
  const [job] = await store.claims.claim(claim);
  const { id, token } = job!;
  await store.claims.settle([{ verb: "snooze", id, token, delayMs: 60_000, hold: "key" }]);
  return file;
}

test("a database that was used is sound", async () => {
  const file = await usedFile();
  checkSound(file.path);
  expect(file.dump()).toMatchObject({
    unique_keys: [{ job_id: 2 }],
    rate_buckets: [{ queue: "limited" }],
    holds: [{ queue: "limited", key: "rate k" }],
  });
});

test.each([
  ["a unique key of an older job", "UPDATE unique_keys SET job_id = 1", "unique keys of another job"],
  [
    "a unique key of a job with another one",
    "UPDATE unique_keys SET job_id = 3",
    "unique keys of another job",
  ],
  ["a job without its unique key", "UPDATE job_specs SET unique_key = NULL", "unique keys of another job"],
  ["starts in no queue", "UPDATE rate_buckets SET queue = 'gone'", "rate_buckets of no queue"],
  ["a hold in no queue", "UPDATE holds SET queue = 'gone'", "holds of no queue"],
])("%s is found", async (_what, damage, finding) => {
  const file = await usedFile();
  file.raw().exec(damage);
  expect(() => {
    checkSound(file.path);
  }).toThrow(finding);
});
