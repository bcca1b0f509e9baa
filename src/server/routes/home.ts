import type { App } from "../app.js";

const HOME = `This is Konveier, a durable background job queue.

The HTTP API is below /v1 and needs the API token:

  curl -H "Authorization: Bearer $API_TOKEN" <this address>/v1/queues

Its documentation is docs/http-api.md in the source of Konveier.
`;

export function homeRoute(app: App): void {
  app.get("/", { config: { access: "public" } }, (_request, reply) => {
    return reply.type("text/plain; charset=utf-8").send(HOME);
  });
}
