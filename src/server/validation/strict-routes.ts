import type { RouteOptions } from "fastify";
import { Type } from "typebox";
import { CLOSED } from "../../api/fields.js";

/** Of a route that takes no body, or no query. */
export const NOTHING = Type.Object({}, CLOSED);

/** Methods whose requests may have a body. */
const WITH_BODY = ["POST", "PUT", "PATCH", "DELETE"];

/**
 * The hook that gives every API route a schema for body and query: a route that takes none of them
 * refuses them, where silence would let a misspelt or misplaced filter pass.
 */
export function refuseUndeclaredInput(route: RouteOptions): void {
  if (!route.url.startsWith("/v1/")) return;
  const methods = [route.method].flat();
  const takesBody = methods.every((method) => WITH_BODY.includes(method.toUpperCase()));
  route.schema = { querystring: NOTHING, ...(takesBody && { body: NOTHING }), ...route.schema };
}
