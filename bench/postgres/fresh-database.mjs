import pg from "pg";

/** Makes an empty database on the server of `BENCH_POSTGRES_URL`. @returns its address */
export async function freshDatabase(name) {
  const url = new URL(process.env.BENCH_POSTGRES_URL);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${name}`);
  // The work of the one before is not to be paid by this one.
  await client.query("CHECKPOINT");
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}
