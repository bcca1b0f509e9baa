import { fork } from "node:child_process";
import { once } from "node:events";
import { translated } from "./translated.js";

/**
 * Before all tests: starts a PostgreSQL server for those that want one, unless TEST_POSTGRES_URL names one already.
 * Each test has a schema of its own in it.
 */
export default async function startPostgres(): Promise<() => Promise<void>> {
  if (process.env["TEST_POSTGRES_URL"] !== undefined) return () => Promise.resolve();
  const program = fork(translated(new URL("postgres-program.ts", import.meta.url)));
  const exited = once(program, "exit");
  const url = await Promise.race([
    once(program, "message").then(([message]) => message as string),
    exited.then(() => Promise.reject(new Error("PostgreSQL did not start; what it said is above"))),
  ]);
  process.env["TEST_POSTGRES_URL"] = url;
  return async () => {
    program.disconnect();
    await exited;
  };
}
