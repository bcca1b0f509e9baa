import { describe, expect, test } from "vitest";
import { startHttpServer, type HttpServer } from "../support/http-server.js";

// Every request of these tests comes from 127.0.0.1: a trusted proxy or not, as each test has it.

/** The address that the audit log keeps of a call with these headers. */
async function addressOf(server: HttpServer, headers: Readonly<Record<string, string>>): Promise<string> {
  await server.send("POST", "/v1/queues/mail/pause", { json: {}, headers });
  const { items } = (await server.get("/v1/audit?limit=1")).json as { items: { ip: string }[] };
  return items[0]!.ip;
}

async function cookieOf(server: HttpServer, headers: Readonly<Record<string, string>>): Promise<string> {
  const answer = await server.send("POST", "/v1/session", {
    json: { token: "token-of-the-tests" },
    token: null,
    headers: { "sec-fetch-site": "same-origin", ...headers },
  });
  expect(answer.status, answer.text).toBe(204);
  return answer.headers.get("set-cookie") ?? "";
}

describe("X-Forwarded headers", () => {
  test.each([[[]], [["10.0.0.0/8"]]])("of others than %j are ignored", async (trustedProxies) => {
    const server = await startHttpServer({ trustedProxies });
    expect(await addressOf(server, { "x-forwarded-for": "203.0.113.7" })).toBe("127.0.0.1");
    expect(await cookieOf(server, { "x-forwarded-proto": "https" })).not.toContain("Secure");
    const forged = await server.send("POST", "/v1/session", {
      json: { token: "token-of-the-tests" },
      token: null,
      headers: { origin: "https://evil.example", "x-forwarded-host": "evil.example" },
    });
    expect(forged.status).toBe(403);
  });

  test("of a trusted proxy say who calls: the last address that no trusted proxy has", async () => {
    const server = await startHttpServer({ trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
    const from = (list: string) => addressOf(server, { "x-forwarded-for": list });
    expect(await from("203.0.113.7")).toBe("203.0.113.7");
    expect(await from("203.0.113.7, 10.1.2.3")).toBe("203.0.113.7");
    // What the client itself sent stands further to the left.
    expect(await from("198.51.100.1, 203.0.113.7, 10.1.2.3")).toBe("203.0.113.7");
    expect(await from("127.0.0.1, 203.0.113.7")).toBe("203.0.113.7");
  });

  test("of a trusted proxy decide over the cookie and over where a page is from", async () => {
    const server = await startHttpServer({ trustedProxies: ["127.0.0.1"] });
    expect(await cookieOf(server, { "x-forwarded-proto": "https" })).toMatch(/^__Host-.*; Secure/);
    const own = await server.send("POST", "/v1/session", {
      json: { token: "token-of-the-tests" },
      token: null,
      headers: { origin: "https://jobs.example", "x-forwarded-host": "jobs.example" },
    });
    expect(own.status).toBe(204);
  });

  test("keep one client's wrong tokens from blocking another", async () => {
    const server = await startHttpServer({ trustedProxies: ["127.0.0.1"] });
    const guess = async (ip: string): Promise<number> => {
      const headers = { "x-forwarded-for": ip };
      return (await server.get("/v1/jobs", { token: "wrong", headers })).status;
    };
    let status = 401;
    for (let tries = 0; status === 401 && tries < 1_000; tries += 1) status = await guess("203.0.113.7");
    expect(status).toBe(429);
    expect(await guess("203.0.113.8")).toBe(401);
  });

  test.each([
    ["of one IPv6 network", (n: number) => `2001:db8:1:1::${n.toString(16)}`],
    ["with a port each", (n: number) => `203.0.113.7:${1_024 + n}`],
  ])("count wrong tokens of addresses %s together, at the sign-in too", async (_what, address) => {
    const server = await startHttpServer({ trustedProxies: ["127.0.0.1"] });
    const statuses: number[] = [];
    for (let n = 1; n <= 6; n += 1) {
      const headers = { "x-forwarded-for": address(n) };
      const sending = { json: { token: "wrong" }, token: null, headers };
      statuses.push((await server.send("POST", "/v1/session", sending)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});
