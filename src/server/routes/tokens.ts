import { NoContent } from "../../api/fields.js";
import {
  IssuedTokenView,
  RotateTokenBody,
  SelfView,
  TokenBody,
  TokenListView,
  TokenParams,
} from "../../api/token.js";
import { parseInstant } from "../../core/instant.js";
import { validationError } from "../../core/job-request.js";
import { createToken, DEFAULT_OVERLAP_MS, revokeToken, rotateToken } from "../../engine/access/tokens.js";
import { identityOf } from "../access/guard.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { issuedTokenView, tokenView } from "../views/token.js";

const tags = ["access"];

export function tokenRoutes(app: App, services: Services): void {
  tokenReadRoutes(app, services);
  tokenIssueRoutes(app, services);
}

function tokenReadRoutes(app: App, { context }: Services): void {
  app.get(
    "/v1/tokens",
    {
      schema: {
        operationId: "listTokens",
        summary: "All tokens, newest first, also those that are over.",
        tags,
        response: { 200: TokenListView },
      },
      config: { access: "administer" },
    },
    async () => ({ items: (await context.store.tokens.list()).map(tokenView) }),
  );

  app.get(
    "/v1/tokens/self",
    {
      schema: {
        operationId: "getSelf",
        summary: "Whose token this is, and what it allows.",
        tags,
        response: { 200: SelfView },
      },
      config: { access: "any" },
    },
    (request) => {
      const { tokenId, tokenName, capabilities, queues } = identityOf(request);
      return {
        id: tokenId,
        name: tokenName,
        capabilities: [...capabilities],
        queues: queues === null ? null : [...queues],
        session: request.viaSession,
      };
    },
  );
}

function tokenIssueRoutes(app: App, { context, streams }: Services): void {
  app.post(
    "/v1/tokens",
    {
      schema: {
        operationId: "createToken",
        summary: "Make a token. Its text is in this answer only.",
        tags,
        body: TokenBody,
        response: { 201: IssuedTokenView },
      },
      config: {
        access: "administer",
        auditDetail: ({ body }) => {
          const { name, scopes, queues } = body as TokenBody;
          return `${name}: ${scopes.join(", ")}${queues === undefined ? "" : ` on ${queues.join(", ")}`}`;
        },
      },
    },
    async (request, reply) => {
      const { name, scopes, queues = null } = request.body;
      const expiresAt = expiryOf(request.body.expiresAt);
      const createdBy = identityOf(request).tokenId;
      const issued = await createToken(context, { name, scopes, queues, expiresAt }, createdBy);
      return reply.code(201).send(issuedTokenView(issued));
    },
  );

  app.post(
    "/v1/tokens/:id/rotate",
    {
      schema: {
        operationId: "rotateToken",
        summary: "Make a token with the same rights. The old one goes on for a while.",
        tags,
        params: TokenParams,
        body: RotateTokenBody,
        response: { 201: IssuedTokenView },
      },
      config: { access: "administer", problems: ["token_not_found"] },
    },
    async (request, reply) => {
      const { overlapMs = DEFAULT_OVERLAP_MS } = request.body;
      const createdBy = identityOf(request).tokenId;
      const issued = await rotateToken(context, request.params.id, overlapMs, createdBy);
      return reply.code(201).send(issuedTokenView(issued));
    },
  );

  app.delete(
    "/v1/tokens/:id",
    {
      schema: {
        operationId: "revokeToken",
        summary: "Refuse the token from now on, and end the sessions that it opened.",
        tags,
        params: TokenParams,
        response: { 204: NoContent },
      },
      config: { access: "administer", problems: ["token_not_found"] },
    },
    async ({ params }, reply) => {
      await revokeToken(context, params.id);
      streams.closeStreams((owner) => owner === params.id, "auth");
      return reply.code(204).send();
    },
  );
}

function expiryOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (typeof instant === "number") return instant;
  throw validationError([{ pointer: "/expiresAt", code: "invalid_instant", detail: instant.problem }]);
}
