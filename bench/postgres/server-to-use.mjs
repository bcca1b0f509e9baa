import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The server that `BENCH_POSTGRES_URL` names, which is set to one of its own otherwise. */
export async function serverToUse() {
  if (process.env.BENCH_POSTGRES_URL !== undefined) return { stop: () => Promise.resolve() };
  const child = fork(fileURLToPath(new URL("server.mjs", import.meta.url)));
  const exited = once(child, "exit");
  const [url] = await Promise.race([once(child, "message"), exited]);
  if (typeof url !== "string") throw new Error("PostgreSQL did not start; what it said is above");
  process.env.BENCH_POSTGRES_URL = url;
  return {
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
