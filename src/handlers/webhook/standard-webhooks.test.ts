import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { callWebhook, startReceiver, StillClock, type Received } from "../../../test/support/webhook.js";

const [OLD, NEW, OTHER] = [1, 2, 3].map((byte) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`) as [
  string,
  string,
  string,
];
const BODY = { text: "ключ 🔑", dots: "1.2.3", list: [1, 2.5, null] };

/** What a receiver gets from us, signed with these secrets. */
async function delivery(secrets: readonly string[], clock = new StillClock(Date.now())): Promise<Received> {
  await using receiver = await startReceiver((_, response) => response.end());
  const url = `${receiver.url}/hook`;
  await callWebhook({ url, body: BODY }, { signingSecrets: secrets, clock });
  return receiver.requests[0]!;
}

/** The verification of the published package, as receivers use it. */
function verify(secret: string, { headers }: Received, body: string | Buffer): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

const refusal = (text: string) => new WebhookVerificationError(text);

describe("the published package for receivers", () => {
  it("verifies a delivery", async () => {
    const received = await delivery([OLD]);
    expect(verify(OLD, received, received.body)).toEqual(BODY);
  });

  it("refuses a body that was changed on its way, if only by a space", async () => {
    const received = await delivery([OLD]);
    for (const body of [`${received.body.toString()} `, received.body.toString().replace("2.5", "2.6"), ""]) {
      expect(() => verify(OLD, received, body)).toThrow(refusal("No matching signature found"));
    }
  });

  it("refuses another id, another time and another secret", async () => {
    const received = await delivery([OLD]);
    const soon = String(Number(received.headers["webhook-timestamp"]) + 1);
    for (const changed of [{ "webhook-id": "another" }, { "webhook-timestamp": soon }]) {
      const headers = { ...received.headers, ...changed };
      expect(() => verify(OLD, { ...received, headers }, received.body)).toThrow(
        refusal("No matching signature found"),
      );
    }
    expect(() => verify(OTHER, received, received.body)).toThrow(refusal("No matching signature found"));
  });

  it("refuses a delivery that was kept and sent again later", async () => {
    const TEN_MINUTES_MS = 600_000;
    const received = await delivery([OLD], new StillClock(Date.now() - TEN_MINUTES_MS));
    expect(() => verify(OLD, received, received.body)).toThrow(refusal("Message timestamp too old"));
  });

  it("verifies with the old and with the new secret while they are exchanged", async () => {
    const received = await delivery([NEW, OLD]);
    expect(verify(NEW, received, received.body)).toEqual(BODY);
    expect(verify(OLD, received, received.body)).toEqual(BODY);
    expect(() => verify(OTHER, received, received.body)).toThrow(refusal("No matching signature found"));
  });
});
