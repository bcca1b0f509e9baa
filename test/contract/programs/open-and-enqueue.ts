// Opens the database `argv[2]` as soon as its parent closes stdin, and enqueues `argv[3]` jobs one by one.
import { once } from "node:events";
import { createContext } from "../../../src/engine/context.js";
import { enqueue } from "../../../src/engine/enqueue.js";
import { openSqliteStore } from "../../../src/store/sqlite/open.js";

const [, , file = "", jobs = ""] = process.argv;
process.stdout.write("ready\n");
await once(process.stdin.resume(), "end");
const store = openSqliteStore(file);
const context = createContext(store);
for (let n = 0; n < Number(jobs); n += 1) await enqueue(context, { name: "work" });
await store.close();
