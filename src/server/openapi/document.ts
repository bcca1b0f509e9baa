import { STATUS_CODES } from "node:http";
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema, RouteOptions } from "fastify";
import { Problem } from "../../api/problem.js";
import { scopesThatAllow } from "../../core/access.js";
import { NOTHING } from "../validation/strict-routes.js";
import { problemsOf } from "./problems-of.js";
import { withComponents } from "./components.js";

const DESCRIPTION = `Durable background jobs. Errors are problem documents (RFC 9457) with a stable \`code\`.
Clients must ignore fields and words that they do not know.`;

/**
 * Makes the OpenAPI 3.1 document of all routes that are added after this: from the very schemas that check
 * their requests. `app.swagger()` gives it once the app is ready.
 */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      // The version of the contract, not of the program: strangers need not know that one.
      info: {
        title: "Konveier",
        version: "1",
        description: DESCRIPTION,
        license: { name: "MIT", identifier: "MIT" },
      },
      components: {
        securitySchemes: {
          token: { type: "http", scheme: "bearer", description: "An API token." },
          session: { type: "apiKey", in: "cookie", name: "konveier_session", description: "See `signIn`." },
        },
      },
    },
    hideUntagged: false,
    transform: ({ schema, url, route }) => ({ url, schema: describe(schema, route) }),
    transformObject: (document) => {
      if (!("openapiObject" in document)) throw new Error("The document is not OpenAPI 3");
      return withComponents(document.openapiObject);
    },
  });
}

/** What the document says beyond the route's own schema: who may call it, and which problems it answers. */
function describe(schema: FastifySchema, route: RouteOptions): FastifySchema {
  if (schema.hide === true) return schema;
  if (schema.operationId === undefined || schema.summary === undefined || schema.response === undefined) {
    throw new Error(`The route ${String(route.method)} ${route.url} has no operationId, summary or response`);
  }
  const { body, ...described } = schema;
  return {
    ...described,
    ...(body !== NOTHING && body !== undefined && { body }),
    security: securityOf(route),
    response: { ...answersOf(schema), ...problemResponses(schema, route) },
  };
}

function securityOf({ config }: RouteOptions): NonNullable<FastifySchema["security"]> {
  const access = config?.access;
  if (access === "public" || access === undefined) return [];
  const scopes = access === "any" ? [] : scopesThatAllow(access);
  // A browser's session cannot work on jobs.
  return access === "work" ? [{ token: scopes }] : [{ token: scopes }, { session: scopes }];
}

function answersOf({ response, produces = ["application/json"] }: FastifySchema): Record<string, object> {
  return Object.fromEntries(
    Object.entries(response as Record<string, object>).map(([status, schema]) => {
      const description = STATUS_CODES[status] ?? status;
      const content = Object.fromEntries(produces.map((type) => [type, { schema }]));
      return [status, status === "204" ? { description, type: "null" } : { description, content }];
    }),
  );
}

function problemResponses(schema: FastifySchema, route: RouteOptions): Record<string, object> {
  const responses: Record<string, object> = {};
  for (const [status, codes] of problemsOf(schema, route)) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\``).join(", "),
      content: { "application/problem+json": { schema: Problem } },
    };
  }
  return responses;
}
