import pg from "pg";
import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { Reads } from "./reads.js";
import { openPool } from "./connection.js";
import { SchemaGuard } from "./migrate.js";

test("PGS-06 a read that is undone for the sake of another transaction is read again", async () => {
  const clock = new FakeClock();
  const pool = openPool("postgres://127.0.0.1/unused");
  const reads = new Reads(pool, clock, new SchemaGuard("s", "here"), "here");
  const conflict = new pg.DatabaseError("could not serialize access", 0, "error");
  conflict.code = "40001";
  let tries = 0;
  const answer = reads.read(() => {
    tries += 1;
    return tries === 1 ? Promise.reject(conflict) : Promise.resolve("read");
  });
  await clock.advance(50);
  expect(await answer).toBe("read");
});
