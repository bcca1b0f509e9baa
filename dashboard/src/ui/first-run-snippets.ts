/** The first job, and workers for it, for the server of this page. The token comes from the environment. */
export function curlSnippet(server: string): string {
  return `curl -s ${server}/v1/jobs \\
  -H "Authorization: Bearer $API_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"name": "greet", "payload": {"name": "Ada"}}'`;
}

export function typeScriptSnippet(server: string): string {
  return `import { defineJob, KonveierClient, RemoteWorker } from "konveier/client";

const token = process.env.API_TOKEN!;
const client = new KonveierClient({ url: "${server}", token });
const greet = defineJob<{ name: string }>("greet", {
  handler: ({ payload }) => ({ text: \`Hello, \${payload.name}!\` }),
});
const worker = new RemoteWorker({ client, jobs: [greet] });
await worker.start();
process.once("SIGTERM", () => worker.stop({ graceMs: 10_000 }));
await worker.finished;
`;
}

export function pythonSnippet(server: string): string {
  return `import os
from konveier_worker import Worker

worker = Worker("${server}", os.environ["API_TOKEN"], queues=["default"])


@worker.handler("greet")
def greet(job):
    return {"text": f"Hello, {job.payload['name']}!"}


worker.run()  # until SIGTERM or SIGINT
`;
}
