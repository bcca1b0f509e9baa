import { expect, test } from "vitest";
import { databaseAddress } from "./database-address.js";

test.each(["postgres://u:p@host", "postgres://u:p@host/", "postgres://u:12#34@host/db", "postgres://"])(
  "%s is refused, and the refusal repeats nothing of it",
  (url) => {
    expect(() => databaseAddress(url)).toThrow(
      /^The database URL names no database\. Use postgres:\/\/user:password@host:5432\/database, /,
    );
  },
);

test("a password with special characters is written in percents", () => {
  const url = "postgres://u:12%2334%40@host:5432/db?sslmode=require";
  expect(databaseAddress(url)).toEqual({ kind: "postgres", url });
});
