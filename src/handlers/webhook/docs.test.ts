import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  callWebhook,
  startReceiver,
  StillClock,
  type CallSettings,
  type Received,
} from "../../../test/support/webhook.js";

type IsSigned = (headers: object, body: Uint8Array, secret: string) => boolean;

const NEW_SECRET = `whsec_${Buffer.alloc(32, 0xfb).toString("base64")}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

async function exampleOfTheDocumentation(): Promise<IsSigned> {
  const text = await readFile(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  const code = /```js\n(.*?)```/s.exec(text)?.[1] ?? "";
  const url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
  return ((await import(/* @vite-ignore */ url)) as { isSigned: IsSigned }).isSigned;
}

async function received(settings: CallSettings = {}): Promise<Received> {
  await using receiver = await startReceiver((_, response) => response.end());
  const payload = { url: receiver.url, body: { text: "grüße" } };
  await callWebhook(payload, { signingSecrets: [NEW_SECRET, OLD_SECRET], ...settings });
  return receiver.requests[0]!;
}

describe("the example in docs/webhooks.md", () => {
  it("takes a request with either secret, and no other secret", async () => {
    const isSigned = await exampleOfTheDocumentation();
    const { headers, body } = await received();
    expect([NEW_SECRET, OLD_SECRET].map((secret) => isSigned(headers, body, secret))).toEqual([true, true]);
    expect(isSigned(headers, body, `whsec_${Buffer.alloc(32, 1).toString("base64")}`)).toBe(false);
  });

  it("refuses a request that was changed", async () => {
    const isSigned = await exampleOfTheDocumentation();
    const { headers, body } = await received({ signingSecrets: [NEW_SECRET] });
    expect(isSigned(headers, Buffer.concat([body, Buffer.from(" ")]), NEW_SECRET)).toBe(false);
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      const { [name]: value, ...others } = headers;
      expect(isSigned(others, body, NEW_SECRET)).toBe(false);
      expect(isSigned({ ...others, [name]: `1${String(value)}` }, body, NEW_SECRET)).toBe(false);
    }
  });

  it("refuses an old request", async () => {
    const isSigned = await exampleOfTheDocumentation();
    const { headers, body } = await received({ clock: new StillClock(Date.now() - 400_000) });
    expect(isSigned(headers, body, NEW_SECRET)).toBe(false);
  });
});
