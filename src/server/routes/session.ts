import { NoContent } from "../../api/fields.js";
import { SessionBody } from "../../api/token.js";
import { KonveierError } from "../../core/errors.js";
import { clientNetwork } from "../access/client-network.js";
import { refuseCrossSite } from "../access/cross-site.js";
import { Failures } from "../access/failures.js";
import { clearSessionCookie, sessionIdOf, setSessionCookie } from "../access/session-cookie.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";

/** Wrong tokens from one address in a minute. People paste them, so it is a few at the most. */
const MAX_FAILED_LOGINS = 5;
const tags = ["access"];

/** How a browser signs in: it shows a token once, and has a cookie from then on that no script can read. */
export function sessionRoutes(app: App, { context, access }: Services): void {
  const failures = new Failures(context.clock, MAX_FAILED_LOGINS);

  app.post(
    "/v1/session",
    {
      schema: {
        operationId: "signIn",
        summary: "Show a token and get a session's cookie.",
        tags,
        body: SessionBody,
        response: { 204: NoContent },
      },
      config: { access: "public", problems: ["unauthorized", "cross_site", "too_many_failures"] },
    },
    async (request, reply) => {
      refuseForeignPage(request);
      const client = clientNetwork(request.ip);
      failures.refuseBlocked(client, reply);
      const identity = await access.authenticator.byToken(request.body.token);
      if (identity === null) {
        failures.add(client);
        throw new KonveierError("unauthorized", "This is no valid token.");
      }
      await access.auditLog.signedIn(request, identity);
      setSessionCookie(request, reply, await access.sessions.open(identity));
      return reply.code(204).send();
    },
  );

  app.delete(
    "/v1/session",
    {
      schema: {
        operationId: "signOut",
        summary: "End the session of the cookie.",
        tags,
        response: { 204: NoContent },
      },
      config: { access: "public", problems: ["cross_site"] },
    },
    async (request, reply) => {
      refuseForeignPage(request);
      const id = sessionIdOf(request);
      if (id !== null) await access.sessions.close(id);
      clearSessionCookie(request, reply);
      return reply.code(204).send();
    },
  );
}

/** Another site must not sign a browser in or out. Programs that are no browsers name no site at all. */
function refuseForeignPage(request: Parameters<typeof refuseCrossSite>[0]): void {
  const { headers } = request;
  if (headers["sec-fetch-site"] !== undefined || headers.origin !== undefined) refuseCrossSite(request);
}
