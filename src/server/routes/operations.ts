import type { FastifyRequest } from "fastify";
import {
  DEFAULT_OPERATION_PAGE,
  OperationPageQuery,
  OperationPageView,
  OperationParams,
  OperationView,
} from "../../api/operation.js";
import { cancelBulk, operationNotFound } from "../../engine/bulk.js";
import type { EngineContext } from "../../engine/context.js";
import type { Operation } from "../../store/operations.js";
import { identityOf } from "../access/guard.js";
import type { App } from "../app.js";
import { decodePlace, encodePlace } from "../cursor.js";
import type { Services } from "../services.js";
import { operationView } from "../views/operation.js";

const tags = ["operations"];
const LIST = "operations";

/** Bulk operations on their way, and what became of them. */
export function operationRoutes(app: App, { context, signer }: Services): void {
  app.get(
    "/v1/operations",
    {
      schema: {
        operationId: "listOperations",
        summary: "Bulk operations, newest first.",
        tags,
        querystring: OperationPageQuery,
        response: { 200: OperationPageView },
      },
      config: { access: "read", problems: ["bad_cursor"] },
    },
    async (request) => {
      const { cursor, limit = DEFAULT_OPERATION_PAGE } = request.query;
      const before = cursor === undefined ? null : decodePlace(signer, LIST, cursor);
      const found = await context.store.operations.list(limit + 1, before, ownerOf(request));
      const items = found.slice(0, limit);
      const last = items.at(-1);
      const more = found.length > limit && last !== undefined;
      return {
        items: items.map(operationView),
        nextCursor: more ? encodePlace(signer, LIST, last.id) : null,
      };
    },
  );

  app.get(
    "/v1/operations/:id",
    {
      schema: {
        operationId: "getOperation",
        summary: "One bulk operation and how far it is.",
        tags,
        params: OperationParams,
        response: { 200: OperationView },
      },
      config: { access: "read", problems: ["operation_not_found"] },
    },
    async (request) => operationView(await visibleOperation(context, request, request.params.id)),
  );

  app.post(
    "/v1/operations/:id/cancel",
    {
      schema: {
        operationId: "cancelOperation",
        summary: "Stop a bulk operation. Jobs that it has changed stay changed.",
        tags,
        params: OperationParams,
        response: { 200: OperationView },
      },
      config: { access: "operate", problems: ["operation_not_found"] },
    },
    async (request) => {
      const { id } = await visibleOperation(context, request, request.params.id);
      return operationView(await cancelBulk(context, id));
    },
  );
}

/** A token that covers only some queues sees what it has started itself. */
function ownerOf(request: FastifyRequest): string | null {
  const { queues, tokenId } = identityOf(request);
  return queues === null ? null : tokenId;
}

/** @throws KonveierError `operation_not_found` */
async function visibleOperation(
  { store }: EngineContext,
  request: FastifyRequest,
  id: string,
): Promise<Operation> {
  const operation = await store.operations.get(id);
  const owner = ownerOf(request);
  if (operation === null || (owner !== null && operation.createdBy !== owner)) throw operationNotFound(id);
  return operation;
}
