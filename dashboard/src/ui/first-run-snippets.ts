/** The first job, and workers for it, for the server of this page. The token comes from the environment. */
export function curlSnippet(server: string): string {
  return `curl -s ${server}/v1/jobs \\
  -H "Authorization: Bearer $API_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"name": "greet", "payload": {"name": "Ada"}}'`;
}

export function typeScriptSnippet(server: string): string {
  return `import * as konveier from "konveier/client";

const url = "${server}";
const token = process.env.API_TOKEN!;
const client = new konveier.KonveierClient({ url, token });

const greet = konveier.defineJob<{ name: string }>("greet", {
  handler: ({ payload }) => ({ text: \`Hello, \${payload.name}!\` }),
});

const worker = new konveier.RemoteWorker({ client, jobs: [greet] });
await worker.start();
process.once("SIGINT", () => worker.stop({ graceMs: 10_000 }));
await worker.finished;
`;
}

export function pythonSnippet(server: string): string {
  return `import os
from konveier_worker import Worker

url = "${server}"
token = os.environ["API_TOKEN"]
worker = Worker(url, token, queues=["default"])


@worker.handler("greet")
def greet(job):
    return {"text": f"Hello, {job.payload['name']}!"}


worker.run()  # until SIGTERM or SIGINT
`;
}
