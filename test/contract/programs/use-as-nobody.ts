// Opens the database `argv[2]` as a user without rights, enqueues a job, and prints what it was told.
import { KonveierError } from "../../../src/core/errors.js";
import { createContext } from "../../../src/engine/context.js";
import { enqueue } from "../../../src/engine/enqueue.js";
import { openSqliteStore } from "../../../src/store/sqlite/open.js";

const NOBODY = 65_534;

const [, , file = ""] = process.argv;
// The driver's native part is loaded while the program may still read it.
await openSqliteStore(":memory:").close();
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}
try {
  const store = openSqliteStore(file);
  await enqueue(createContext(store), { name: "work" });
  process.stdout.write(JSON.stringify({ code: "none", message: "" }));
} catch (error) {
  if (!(error instanceof KonveierError)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
}
