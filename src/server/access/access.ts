import { Authenticator } from "../../engine/access/authenticate.js";
import { Sessions } from "../../engine/access/sessions.js";
import type { EngineContext } from "../../engine/context.js";
import { AuditLog } from "./audit-log.js";
import { Guard } from "./guard.js";

/** Who may do what, and who did. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly guard: Guard;
  readonly auditLog: AuditLog;
}

/**
 * @param rootToken an admin token that is good besides those in the store
 * @throws RangeError for a token that no client could send
 */
export function createAccess(context: EngineContext, rootToken: string): Access {
  if (!/^[^\s\p{Cc}]+$/u.test(rootToken)) {
    throw new RangeError("The API token must not be empty or hold spaces or control characters.");
  }
  const authenticator = new Authenticator(context, rootToken);
  const sessions = new Sessions(context, authenticator);
  const guard = new Guard(context.clock, authenticator, sessions);
  return { authenticator, sessions, guard, auditLog: new AuditLog(context) };
}
