import { maxHeaderSize, METHODS } from "node:http";
import helmet from "@fastify/helmet";
// Its declarations let route schemas carry an operation id, a summary and tags.
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from "fastify";
import type { Clock } from "../core/clock.js";
import { KonveierError } from "../core/errors.js";
import type { Access } from "./access/access.js";
import { requireDeclaredAccess } from "./access/declared-access.js";
import { logAccess } from "./access-log.js";
import { addressNotFound, routedUrl } from "./addresses.js";
import { followCallEnds } from "./call-end.js";
import { answerClientErrors, refuseTunnels } from "./client-error.js";
import { describeApi } from "./openapi/document.js";
import { jsonBodyParser, refuseContentEncoding, refuseFaultyBody } from "./json-body.js";
import { HOST_IS_CHECKED_HERE, ignoreUnknownExpectations, refuseWrongHost } from "./node-answers.js";
import { sendProblem } from "./problems.js";
import { requestIdOf } from "./request-id.js";
import { RequestLines } from "./request-lines.js";
import { dropResetConnections } from "./reset-connections.js";
import { limitUntakenAnswers } from "./untaken-answers.js";
import { limitUploadTime, readOnBehindAnswers } from "./uploads.js";
import { compileValidator } from "./validation/compile.js";
import { refuseUndeclaredInput } from "./validation/strict-routes.js";

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export const BODY_LIMIT = 1024 * 1024;

/** A client that sends its headers slower than this is cut off. */
const HEADERS_TIMEOUT_MS = 15_000;
const TIMEOUT_CHECK_MS = 5_000;
/** A client that does not read its answer. Longer than the longest waiting claim, in which nothing is sent. */
const SILENT_CONNECTION_MS = 120_000;
/** Longer than proxies keep idle connections (60 s is common), so that a proxy never sends into a closing one. */
const KEEP_ALIVE_MS = 75_000;

const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
  },
};

/** The HTTP application without its routes: how requests are read and refused, and what every answer says. */
export async function createApp(
  clock: Clock,
  { guard, auditLog }: Access,
  logger: FastifyBaseLogger,
  trustedProxies: readonly string[],
): Promise<App> {
  const lines = new RequestLines();
  const refuse = answerClientErrors(lines, logger);
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    genReqId: requestIdOf,
    // Whoever else sends X-Forwarded-… could choose the address that wrong tokens are counted by.
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: BODY_LIMIT,
    rewriteUrl: routedUrl,
    // Node reads no longer ones. What is too long for a name or a key is refused like every other one that is none.
    routerOptions: { maxParamLength: maxHeaderSize },
    connectionTimeout: SILENT_CONNECTION_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      ...HOST_IS_CHECKED_HERE,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    // A worker whose connection is still open may say how its jobs ended until the very end.
    return503OnClosing: false,
    clientErrorHandler: refuse,
  }).withTypeProvider<TypeBoxTypeProvider>();

  // All that Node reads, so that each is refused with what the address takes. CONNECT is no request to it.
  for (const method of METHODS) {
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) {
      app.addHttpMethod(method, { hasBody: true });
    }
  }
  app.setValidatorCompiler(compileValidator);
  // Response schemas describe the answers; they must not change them, as Fastify's own serializer does.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(() => {
    // Unknown addresses do not come so far; files that are not there do.
    throw new KonveierError("not_found", "There is no such address.");
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, jsonBodyParser());
  app.decorateRequest("bodyFault", null);
  app.decorateRequest("resultFaults", null);
  app.decorateRequest("identity", null);
  app.decorateRequest("viaSession", false);
  app.decorateRequest("auditSeq", null);
  app.decorateReply("isExpectedRefusal", false);

  // All headers count: what is left out of a request may be its If-Match. Their size is bounded by Node.
  app.server.maxHeadersCount = 0;
  ignoreUnknownExpectations(app);
  dropResetConnections(app);
  followCallEnds(app);
  // Before every hook that may wait: what follows in the same packet is read before it goes on, and is behind this call.
  lines.follow(app);
  limitUploadTime(app, clock, refuse);
  await app.register(helmet, {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    // Whether the whole host is served over TLS is known to the proxy that does it, not here.
    strictTransportSecurity: false,
  });
  refuseTunnels(app, lines, logger);
  limitUntakenAnswers(app);
  readOnBehindAnswers(app, clock);
  app.onCallEnd(logAccess);
  app.onCallEnd(auditLog.finish);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("Konveier-Request-Id", request.id).header("Cache-Control", "no-store");
    done();
  });
  app.addHook("onRequest", refuseWrongHost);
  app.addHook("onRequest", guard.check);
  app.addHook("onRequest", (request, _reply, done) => {
    // Here, so that no body is read for an address that does not exist.
    done(request.is404 ? addressNotFound(request) : undefined);
  });
  app.addHook("onRequest", refuseContentEncoding);
  app.addHook("preValidation", refuseFaultyBody);
  app.addHook("preHandler", auditLog.begin);
  app.addHook("onRoute", requireDeclaredAccess);
  await describeApi(app);
  app.addHook("onRoute", refuseUndeclaredInput);
  return app;
}
