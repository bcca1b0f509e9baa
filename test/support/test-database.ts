import { join } from "node:path";
import { onTestFinished } from "vitest";
import { giveBackSchema, postgresUrl, takeSchema } from "./postgres-factory.js";
import { tempDirectory } from "./temp-directory.js";

/** Whether the servers of this run are on PostgreSQL; vitest.config.ts says which tests run so. */
export const ON_POSTGRES = process.env["TEST_STORE"] === "postgres";

/** A database of one test. */
export interface TestDatabase {
  readonly url: string;
  readonly schema?: string;
  /** Of SQLite: its file. */
  readonly file: string;
}

/** An empty one, gone when the present test ends. */
export function testDatabase(kind = ON_POSTGRES ? "postgres" : "sqlite"): TestDatabase {
  return kind === "postgres" ? postgresSchema() : sqliteDatabase(join(tempDirectory(), "konveier.db"));
}

export function sqliteDatabase(file: string): TestDatabase {
  return { url: `sqlite:${file}`, file };
}

function postgresSchema(): TestDatabase {
  const schema = takeSchema();
  onTestFinished(() => giveBackSchema(schema));
  return {
    url: postgresUrl(),
    schema,
    get file(): never {
      throw new Error("This test is about a file of SQLite: leave it out on PostgreSQL");
    },
  };
}
