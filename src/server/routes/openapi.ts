import { Type } from "typebox";
import type { App } from "../app.js";

/** The description of this API, for people's tools. It tells nothing about jobs. */
export function openapiRoute(app: App): void {
  let text: string | null = null;
  app.get(
    "/openapi.json",
    {
      schema: {
        operationId: "getOpenapi",
        summary: "This document.",
        tags: ["server"],
        response: { 200: Type.Unknown() },
      },
      config: { access: "public" },
    },
    (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      reply.type("application/json");
      return text;
    },
  );
}
