import type { PayloadSchema } from "../../core/define-job.js";
import { hostOf, refusalWithoutLookup } from "./address-guard.js";
import type { AddressPolicy } from "./address-policy.js";
import { readPayload, type WebhookCallPayload } from "./payload.js";

/**
 * Checks payloads where they are enqueued. An address that stands in the URL itself is judged here too;
 * what a name leads to is known only when it is called.
 */
export function webhookSchema(permits: AddressPolicy): PayloadSchema<WebhookCallPayload> {
  return {
    "~standard": {
      version: 1,
      vendor: "konveier",
      validate: (payload) => {
        const { request, issues } = readPayload(payload);
        if (issues !== undefined) return { issues };
        const refusal = refusalWithoutLookup(hostOf(request.url), permits);
        if (refusal !== null) return { issues: [{ path: ["url"], message: refusal.message }] };
        return { value: payload as WebhookCallPayload };
      },
    },
  };
}
