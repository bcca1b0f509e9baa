// Opens the database `argv[2]` with the schema `argv[3]` as soon as its parent closes stdin, and enqueues `argv[4]` jobs
// one by one.
import { once } from "node:events";
import { createContext } from "../../../src/engine/context.js";
import { enqueue } from "../../../src/engine/enqueue.js";
import { openPostgresStore } from "../../../src/store/postgres/open.js";

const [, , url = "", schema = "", jobs = ""] = process.argv;
process.stdout.write("ready\n");
await once(process.stdin.resume(), "end");
const store = await openPostgresStore(url, { schema });
const context = createContext(store);
for (let n = 0; n < Number(jobs); n += 1) await enqueue(context, { name: "work" });
await store.close();
