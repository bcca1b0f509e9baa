import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { onTestFinished } from "vitest";
import { findPgBouncer } from "../../scripts/ensure-pgbouncer.mjs";
import { ChildProgram } from "./child-program.js";
import { postgresUrl } from "./postgres-factory.js";
import { tempDirectory } from "./temp-directory.js";

/** The program; `null` where there is none, and then its tests are skipped. `npm test` gets one. */
export const PGBOUNCER = findPgBouncer();

/** A real PgBouncer in front of the server of the tests, which ends with the present test. */
export class PgBouncer {
  private constructor(
    private readonly config: string,
    /** Of the database, through it. */
    readonly url: string,
    private program: ChildProgram<never, never>,
  ) {}

  /** @param poolSize connections to the server, which all of its clients share */
  static async start(poolSize: number, mode: "transaction" | "session" = "transaction"): Promise<PgBouncer> {
    const directory = tempDirectory();
    // It gives up being root, and reads its files again later.
    chmodSync(directory, 0o755);
    const server = new URL(postgresUrl());
    const port = await freePort();
    const users = join(directory, "users.txt");
    writeFileSync(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
    const config = join(directory, "pgbouncer.ini");
    writeFileSync(
      config,
      `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
pool_mode = ${mode}
default_pool_size = ${String(poolSize)}
max_client_conn = 500
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
admin_users = ${server.username}
${process.getuid?.() === 0 ? "user = nobody" : ""}
`,
    );
    const url = new URL(server);
    url.host = `127.0.0.1:${String(port)}`;
    const bouncer = new PgBouncer(config, url.href, run(config));
    onTestFinished(() => bouncer.#end());
    await bouncer.#ready();
    return bouncer;
  }

  /** Kills it as a crash does, and starts it again at the same port. */
  async crash(): Promise<void> {
    await this.#end();
    this.program = run(this.config);
    await this.#ready();
  }

  /** Gives its administrator's console a command, such as `RECONNECT`. */
  async command(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const url = new URL(this.url);
    url.pathname = "/pgbouncer";
    const client = new pg.Client(url.href);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } catch (cause) {
      throw new Error(`${text} failed. PgBouncer said: ${this.program.output.slice(-2_000)}`, { cause });
    } finally {
      await client.end();
    }
  }

  #ready(): Promise<void> {
    return this.program.until(() => this.program.output.includes("process up"));
  }

  async #end(): Promise<void> {
    this.program.kill("SIGKILL");
    await this.program.exited;
  }
}

function run(config: string): ChildProgram<never, never> {
  if (PGBOUNCER === null) throw new Error("There is no PgBouncer");
  return new ChildProgram(spawn(PGBOUNCER, [config], { stdio: ["ignore", "pipe", "pipe"] }));
}

/** It cannot choose one by itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
