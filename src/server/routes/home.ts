import { Type } from "typebox";
import type { App } from "../app.js";

const HOME = `This is Konveier, a durable background job queue.

The HTTP API is below /v1 and needs the API token:

  curl -H "Authorization: Bearer $API_TOKEN" <this address>/v1/queues

Its documentation is docs/http-api.md in the source of Konveier.
`;

export function homeRoute(app: App): void {
  const schema = {
    operationId: "getHome",
    summary: "A few words for people.",
    tags: ["server"],
    produces: ["text/plain"],
    response: { 200: Type.String() },
  };
  app.get("/", { schema, config: { access: "public" } }, (_request, reply) => {
    reply.type("text/plain; charset=utf-8");
    return HOME;
  });
}
