import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { systemClock, type Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";
import { NonRetryableError } from "../../core/outcomes.js";
import { defineJob, type JobContext, type JobDefinition } from "../../core/define-job.js";
import { addressPolicy } from "./address-policy.js";
import { openConnection, type Route } from "./connection.js";
import { exchange } from "./exchange.js";
import { answerFailure, targetOf, timeoutFailure, transportFailure } from "./failure.js";
import { isHeaderValue } from "./header-rules.js";
import { outgoingRequest, type OutgoingRequest, type Sender } from "./outgoing.js";
import { readPayload, type WebhookCallPayload, type WebhookRequest } from "./payload.js";
import { readResult, type WebhookCallResult } from "./result.js";
import { retryAfterMs } from "./retry-after.js";
import { webhookSchema } from "./schema.js";
import { parseSigningSecret } from "./signature.js";
import { withinTime } from "./time-limit.js";

export interface WebhookCallOptions {
  /**
   * Networks that may be called although they are not public, such as `10.0.0.0/8`. A metadata service is
   * opened only by an entry for exactly its address, such as `169.254.169.254/32`.
   */
  readonly allowCidrs: readonly string[];
  /** Standard Webhooks secrets, `whsec_…`: none, one, or the new and the old one during a rotation. */
  readonly signingSecrets: readonly string[];
  /** Value of `user-agent`, unless the payload sets one. Default `Konveier`. */
  readonly userAgent?: string;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Resolves host names; its answers are filtered. Default: `dns.lookup`. */
  readonly lookup?: LookupFunction;
}

const MAX_SIGNING_SECRETS = 2;

interface Caller {
  readonly clock: Clock;
  readonly route: Route;
  readonly sender: Sender;
}

/**
 * The handler of `webhook.call` jobs: sends the HTTP request that the payload describes. A 2xx answer
 * completes the job; docs/webhooks.md has the other outcomes.
 *
 * @throws KonveierError `validation_failed` naming the option that is wrong
 */
export function webhookCall(
  options: WebhookCallOptions,
): JobDefinition<WebhookCallPayload, WebhookCallResult> {
  const permits = checked("allowCidrs:", () => addressPolicy(options.allowCidrs));
  const caller: Caller = {
    clock: options.clock ?? systemClock,
    route: { permits, lookup: options.lookup ?? systemLookup },
    sender: { userAgent: userAgentOf(options), signingKeys: signingKeysOf(options) },
  };
  return defineJob<WebhookCallPayload, WebhookCallResult>("webhook.call", {
    schema: webhookSchema(permits),
    handler: (context) => call(caller, context),
  });
}

async function call(caller: Caller, context: JobContext): Promise<WebhookCallResult> {
  const { clock } = caller;
  const request = requestOf(context.payload);
  const target = targetOf(request);
  const { timeoutMs } = request;
  const progress: Progress = { phase: "connecting" };
  const limit = {
    clock,
    timeoutMs,
    signal: context.signal,
    timeoutError: () => timeoutFailure(target, timeoutMs, progress.phase),
  };
  const { status, retryAfter, result } = await withinTime(limit, async (signal) => {
    const outgoing = outgoingRequest(request, context, caller.sender, clock.now());
    try {
      return await transfer(outgoing, caller.route, signal, progress);
    } catch (error) {
      throw error instanceof NonRetryableError ? error : transportFailure(target, error);
    }
  });
  if (result === null) throw answerFailure(target, status, retryAfterMs(retryAfter, clock.now()));
  return result;
}

/** Validates again, whatever was done at enqueue: other programs write payloads as well. */
function requestOf(payload: unknown): WebhookRequest {
  const { request, issues } = readPayload(payload);
  if (issues === undefined) return request;
  const faults = issues.map(({ path, message }) => `${["payload", ...path].join(".")} ${message}`);
  throw new NonRetryableError(faults.join("; "));
}

/** What the attempt is doing, for the text of a timeout. */
interface Progress {
  phase: "connecting" | "waiting for the answer" | "reading the answer";
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** `null` when the status is not 2xx: then the body is not read. */
  readonly result: WebhookCallResult | null;
}

async function transfer(
  outgoing: OutgoingRequest,
  route: Route,
  signal: AbortSignal,
  progress: Progress,
): Promise<Answer> {
  const socket = await openConnection(outgoing.url, route, signal);
  try {
    progress.phase = "waiting for the answer";
    const response = await exchange(socket, outgoing);
    const { statusCode: status = 0, headers } = response;
    progress.phase = "reading the answer";
    const result = status >= 200 && status < 300 ? await readResult(response) : null;
    return { status, retryAfter: headers["retry-after"], result };
  } finally {
    socket.destroy();
  }
}

function signingKeysOf({ signingSecrets }: WebhookCallOptions): readonly Buffer[] {
  if (signingSecrets.length > MAX_SIGNING_SECRETS) {
    throw new KonveierError(
      "validation_failed",
      `signingSecrets: at most ${MAX_SIGNING_SECRETS} can be given`,
    );
  }
  return signingSecrets.map((secret, index) =>
    checked(`signingSecrets[${index}]`, () => parseSigningSecret(secret)),
  );
}

function userAgentOf({ userAgent = "Konveier" }: WebhookCallOptions): string {
  if (isHeaderValue(userAgent)) return userAgent;
  throw new KonveierError("validation_failed", "userAgent must have only printable ASCII characters");
}

/** What `read` gives, its RangeError turned into the error for a wrong option. */
function checked<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new KonveierError("validation_failed", `${option} ${error.message}`, { cause: error });
  }
}
