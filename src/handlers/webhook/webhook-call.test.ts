import { describe, expect, it } from "vitest";
import { KonveierError } from "../../core/errors.js";
import { NonRetryableError } from "../../core/outcomes.js";
import type { WebhookCallPayload } from "./payload.js";
import { callWebhook, failureOf } from "../../../test/support/webhook.js";
import { webhookCall } from "./webhook-call.js";

describe("a payload that is wrong", () => {
  it("ends the job and names every fault", async () => {
    const payload = { url: "ftp://example.com", headers: { Host: "a" } } as WebhookCallPayload;
    expect(await failureOf(callWebhook(payload))).toEqual(
      new NonRetryableError(
        "payload.url must be an http or https URL; payload.headers.Host may not be set by a payload",
      ),
    );
  });

  it("is refused by the schema of the definition", async () => {
    const { schema } = webhookCall({ allowCidrs: [], signingSecrets: [] });
    const validate = async (payload: unknown): Promise<unknown> => schema?.["~standard"].validate(payload);
    const good = { url: "https://example.com/", body: { a: 1 } };
    expect(await validate(good)).toEqual({ value: good });
    expect(await validate({ url: 5 })).toEqual({ issues: [{ path: ["url"], message: "must be a text" }] });
    expect(await validate({ url: "http://127.1/" })).toEqual({
      issues: [
        {
          path: ["url"],
          message:
            "address 127.0.0.1 of host 127.0.0.1 is not public; allow it with KONVEIER_WEBHOOK_ALLOW_CIDRS",
        },
      ],
    });
  });
});

describe("the options", () => {
  it.each([
    [
      { allowCidrs: ["10.0.0.0/8", "10/8"] },
      'allowCidrs: "10/8" must be a network such as 10.0.0.0/8 or fd00::/8',
    ],
    [
      { signingSecrets: ["whsec_short"] },
      "signingSecrets[0] must be whsec_ and the base64 of 24 to 64 bytes",
    ],
    [{ signingSecrets: ["a", "b", "c"] }, "signingSecrets: at most 2 can be given"],
    [{ userAgent: "a\r\nb" }, "userAgent must have only printable ASCII characters"],
  ])("%j are refused", (options, message) => {
    expect(() => webhookCall({ allowCidrs: [], signingSecrets: [], ...options })).toThrow(
      new KonveierError("validation_failed", message),
    );
  });

  it("give the definition of webhook.call", () => {
    expect(webhookCall({ allowCidrs: [], signingSecrets: [] }).name).toBe("webhook.call");
  });
});
