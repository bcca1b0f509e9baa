// An order and the job that confirms it: both are in the database, or neither is. Then the handler marks the order as
// confirmed and completes its job, again together.
//
//   node examples/transactions/sqlite.mjs ./orders.db
import Database from "better-sqlite3";
import { defineJob, Konveier } from "konveier";

const file = process.argv[2] ?? "./orders.db";
const konveier = await Konveier.open(`sqlite:${file}`);
const db = new Database(file);
// Without this, what the connection commits survives a crash of the program, but perhaps no power cut.
db.pragma("synchronous = FULL");
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, item TEXT, confirmed INTEGER DEFAULT 0)");

const confirmOrder = defineJob("order.confirm", {
  handler: ({ payload, within }) => {
    db.transaction(() => {
      db.prepare("UPDATE orders SET confirmed = 1 WHERE id = ?").run(payload.order);
      within(db).complete({ confirmed: payload.order });
    }).immediate();
  },
});

const job = db
  .transaction((item) => {
    const { lastInsertRowid } = db.prepare("INSERT INTO orders (item) VALUES (?)").run(item);
    return konveier.within(db).enqueue(confirmOrder, { order: Number(lastInsertRowid) });
  })
  .immediate("a lamp");

const worker = konveier.worker({ jobs: [confirmOrder] });
await worker.start();
await konveier.jobs.waitFor(job.id);
console.log(await konveier.jobs.result(job.id), db.prepare("SELECT * FROM orders").all());
await konveier.close();
db.close();
