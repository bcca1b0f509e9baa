// A worker in another process or on another machine: it needs the server's address and nothing of its database.
//
//   KONVEIER=http://localhost:8085 API_TOKEN=demo node examples/node/remote-worker.mjs
import { defineJob, KonveierClient, RemoteWorker } from "konveier/client";

const { KONVEIER = "http://localhost:8085", API_TOKEN } = process.env;
if (!API_TOKEN) {
  console.error("Set API_TOKEN to a token of the server, such as demo.");
  process.exit(1);
}
const client = new KonveierClient({ url: KONVEIER, token: API_TOKEN });

const greet = defineJob("greet", {
  handler: async ({ payload, log, signal }) => {
    await log(`greeting ${payload.name}`);
    signal.throwIfAborted();
    return { text: `Hello, ${payload.name}!` };
  },
});

const worker = new RemoteWorker({
  client,
  jobs: [greet],
  onProblem: (error, during) => console.error(`${during}: ${error.message}`),
});
await worker.start();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => worker.stop());
await worker.finished;
