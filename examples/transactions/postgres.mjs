// An order and the job that confirms it: both are in the database, or neither is. Then the handler marks the order as
// confirmed and completes its job, again together.
//
//   DATABASE_URL=postgres://user:password@localhost:5432/shop node examples/transactions/postgres.mjs
import pg from "pg";
import { defineJob, Konveier } from "konveier";

const url = process.env.DATABASE_URL;
const konveier = await Konveier.open(url);
const pool = new pg.Pool({ connectionString: url });
await pool.query(
  "CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, item text, confirmed boolean DEFAULT false)",
);

/** Runs `work` in a transaction. */
async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const answer = await work(client);
    await client.query("COMMIT");
    return answer;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const confirmOrder = defineJob("order.confirm", {
  handler: ({ payload, within }) =>
    transaction(async (client) => {
      await client.query("UPDATE orders SET confirmed = true WHERE id = $1", [payload.order]);
      await within(client).complete({ confirmed: payload.order });
    }),
});

const job = await transaction(async (client) => {
  const { rows } = await client.query("INSERT INTO orders (item) VALUES ($1) RETURNING id", ["a lamp"]);
  return konveier.within(client).enqueue(confirmOrder, { order: rows[0].id });
});

const worker = konveier.worker({ jobs: [confirmOrder] });
await worker.start();
await konveier.jobs.waitFor(job.id);
console.log(await konveier.jobs.result(job.id), (await pool.query("SELECT * FROM orders")).rows);
await konveier.close();
await pool.end();
