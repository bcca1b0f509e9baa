import { afterEach, describe, expect, it, vi } from "vitest";
import type { WebhookCallPayload } from "./payload.js";
import { parseSigningSecret, webhookSignature } from "./signature.js";
import {
  callWebhook,
  StillClock,
  startReceiver,
  type CallSettings,
  type Received,
} from "../../../test/support/webhook.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** What a receiver gets of a call. */
async function received(
  payload: Omit<WebhookCallPayload, "url"> & { readonly path?: string },
  settings: CallSettings = {},
): Promise<Received> {
  await using receiver = await startReceiver((_, response) => response.end());
  const { path = "/", ...rest } = payload;
  await callWebhook({ url: receiver.url + path, ...rest }, settings);
  expect(receiver.requests).toHaveLength(1);
  return receiver.requests[0]!;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the request", () => {
  it("has these headers and no others", async () => {
    const clock = new StillClock(Date.UTC(2026, 0, 5, 12, 0, 0, 999));
    const settings = { clock, jobId: "9007199254740993", attempt: 3, token: 88 };
    const { method, path, rawHeaders, headers } = await received({}, settings);
    expect([method, path]).toEqual(["POST", "/"]);
    expect(headers).toEqual({
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      "user-agent": "Konveier",
      "content-length": "0",
      "webhook-id": "job_9007199254740993",
      "webhook-timestamp": "1767614400",
      "konveier-attempt": "3",
      "konveier-token": "88",
      connection: "close",
    });
    expect(rawHeaders).toHaveLength(16);
  });

  it("keeps path and query and leaves the fragment out", async () => {
    expect((await received({ path: "/a%20b/../c?d=é&e#f" })).path).toBe("/c?d=%C3%A9&e");
  });

  it.each(["GET", "HEAD", "DELETE"] as const)("%s has no body and says nothing of one", async (method) => {
    const request = await received({ method });
    expect(request.method).toBe(method);
    expect(request.headers).not.toHaveProperty("content-length");
    expect(request.headers).not.toHaveProperty("transfer-encoding");
    expect(request.headers).not.toHaveProperty("content-type");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"] as const)("%s has its body in one piece", async (method) => {
    const request = await received({ method, body: { a: "é" } });
    expect(request.method).toBe(method);
    expect(request.body.toString()).toBe('{"a":"é"}');
    expect(request.headers).toMatchObject({ "content-type": "application/json", "content-length": "10" });
    expect(request.headers).not.toHaveProperty("transfer-encoding");
  });

  it("takes the user agent from the options, and from the payload before that", async () => {
    expect((await received({}, { userAgent: "Mine/1" })).headers["user-agent"]).toBe("Mine/1");
    const headers = { "User-Agent": "Theirs/2" };
    expect((await received({ headers }, { userAgent: "Mine/1" })).headers["user-agent"]).toBe("Theirs/2");
  });

  it("has the headers of the payload", async () => {
    const headers = JSON.parse('{"Authorization":"Bearer x","X-Tab":"a\\tb","__proto__":"p"}') as Record<
      string,
      string
    >;
    const { rawHeaders } = await received({ headers });
    expect(rawHeaders.join("\n")).toContain("authorization\nBearer x\nx-tab\na\tb\n__proto__\np");
  });

  it("ignores proxies in the environment", async () => {
    await using proxy = await startReceiver((_, response) => response.end());
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"]) vi.stubEnv(name, proxy.url);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    await received({});
    expect(proxy.connections()).toBe(0);
  });
});

describe("the body", () => {
  it.each([
    [{ a: [1, "\u2028", null] }, '{"a":[1,"\u2028",null]}'],
    [[], "[]"],
    [5, "5"],
    [true, "true"],
    [null, "null"],
    [{ lone: "\ud800" }, '{"lone":"\\ud800"}'],
  ])("%j is sent as JSON", async (body, text) => {
    const request = await received({ body });
    expect(request.body.toString()).toBe(text);
    expect(request.headers["content-type"]).toBe("application/json");
  });

  it.each(["", "grüße 😀", '{"not":"parsed"}'])("%j is sent as it is", async (body) => {
    const request = await received({ body });
    expect(request.body.toString()).toBe(body);
    expect(request.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  it.each([["<a/>"], [{ a: 1 }]])("%j has the content type of the payload's headers", async (body) => {
    const request = await received({ body, headers: { "Content-Type": "application/xml" } });
    expect(request.headers["content-type"]).toBe("application/xml");
    expect(request.rawHeaders.filter((name) => /^content-type$/i.test(name))).toHaveLength(1);
  });
});

describe("the signature", () => {
  it("is not there without secrets", async () => {
    expect((await received({ body: 1 })).headers).not.toHaveProperty("webhook-signature");
  });

  it.each([[{ text: "grüße.😀", number: 1e21 }], ["a.b.c"], [undefined]])(
    "covers the bytes that are sent: %j",
    async (body) => {
      const request = await received(body === undefined ? {} : { body }, {
        signingSecrets: [SECRET, OLD_SECRET],
      });
      const {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature,
      } = request.headers;
      const keys = [SECRET, OLD_SECRET].map(parseSigningSecret);
      expect(signature).toBe(webhookSignature(keys, String(id), Number(timestamp), request.body));
      expect(signature).toMatch(/^v1,\S{44} v1,\S{44}$/);
    },
  );
});

describe("two attempts", () => {
  it("have the same webhook-id, and each its own timestamp, number and token", async () => {
    const first = await received({}, { clock: new StillClock(1_000_000), attempt: 1, token: 5 });
    const second = await received({}, { clock: new StillClock(1_061_000), attempt: 2, token: 9 });
    const told = ({ headers }: Received): unknown[] =>
      ["webhook-id", "webhook-timestamp", "konveier-attempt", "konveier-token"].map((name) => headers[name]);
    expect(told(first)).toEqual(["job_42", "1000", "1", "5"]);
    expect(told(second)).toEqual(["job_42", "1061", "2", "9"]);
  });
});
