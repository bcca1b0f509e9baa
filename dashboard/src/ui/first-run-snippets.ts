import { DEFAULT_QUEUE } from "../../../src/core/defaults.js";
import { coversQueue } from "../../../src/core/queue-globs.js";

/** A queue for the first job. @param globs those that the token covers; `null`: all */
export function firstQueue(globs: readonly string[] | null): string {
  const [glob] = globs ?? [];
  if (glob === undefined || coversQueue(globs, DEFAULT_QUEUE)) return DEFAULT_QUEUE;
  return glob.replaceAll("*", "first");
}

/** The first job, and workers for it, for the server of this page. The token comes from the environment. */
export function curlSnippet(server: string, queue = DEFAULT_QUEUE): string {
  const where = queue === DEFAULT_QUEUE ? "" : `"queue": "${queue}", `;
  return `curl -s ${server}/v1/jobs \\
  -H "Authorization: Bearer $API_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{${where}"name": "greet", "payload": {"name": "Ada"}}'`;
}

export function typeScriptSnippet(server: string, queue = DEFAULT_QUEUE): string {
  const queues = queue === DEFAULT_QUEUE ? "" : `queues: ["${queue}"], `;
  return `import {
  defineJob,
  KonveierClient,
  RemoteWorker,
} from "konveier/client";

const url = "${server}";
const token = process.env.API_TOKEN!;
const client = new KonveierClient({ url, token });
const greet = defineJob<{ name: string }>("greet", {
  handler: ({ payload }) => ({ hello: payload.name }),
});

const worker = new RemoteWorker({ client, ${queues}jobs: [greet] });
await worker.start();
const stop = () => worker.stop({ graceMs: 10_000 });
process.once("SIGTERM", stop).once("SIGINT", stop);
await worker.finished;
`;
}

export function pythonSnippet(server: string, queue = DEFAULT_QUEUE): string {
  return `import os
from konveier_worker import Worker

url = "${server}"
token = os.environ["API_TOKEN"]
worker = Worker(url, token, queues=["${queue}"])


@worker.handler("greet")
def greet(job):
    return {"hello": job.payload["name"]}


worker.run()  # until SIGTERM or SIGINT
`;
}
