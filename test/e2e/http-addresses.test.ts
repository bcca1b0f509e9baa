import { describe, expect, test, vi } from "vitest";
import type { Problem } from "../../src/api/problem.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { exchange, statusOf } from "../support/raw-http.js";
import { seededRandom } from "../support/seeded-random.js";

async function ask(server: HttpServer, url: string, token: string | null, method = "GET") {
  const authorization = token === null ? "" : `Authorization: Bearer ${token}\r\n`;
  const request = `${method} ${url} HTTP/1.1\r\nHost: x\r\n${authorization}Connection: close\r\n\r\n`;
  const answer = await exchange(server.url, request);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { status: statusOf(answer), head: head.toLowerCase(), body };
}

/** How often addresses that do not exist were asked for, by the status of the answer. */
async function countOf(server: HttpServer, status: number): Promise<number> {
  const { text } = await server.get("/metrics");
  const line = text
    .split("\n")
    .find((each) => each.includes('route="_unknown"') && each.includes(`code="${status}"`));
  return Number(line?.split(" ").at(-1) ?? 0);
}

const UNREADABLE = [
  "%",
  "%2",
  "%zz",
  "a%ff",
  "%c3%28",
  "%ed%a0%80",
  "x%2fy%",
  "%25%",
  "secret%ff?token=hush",
];

describe("an address that cannot be read", () => {
  test.each(UNREADABLE)("%s is answered, logged and counted like one that does not exist", async (junk) => {
    const server = await startHttpServer();
    for (const prefix of [
      "/v1/queues/",
      "/v1/",
      "/v1/jobs/1/complete/",
      "/V1/",
      "http://me:hush@x/v1/queues/",
    ]) {
      expect((await ask(server, prefix + junk, null)).status, prefix).toBe(401);
      const { status, head, body } = await ask(server, prefix + junk, API_TOKEN);
      expect(status, prefix).toBe(404);
      const problem = JSON.parse(body) as Problem;
      expect(problem).toMatchObject({
        code: "not_found",
        detail: "There is no such address: it is not correctly percent-encoded.",
        instance: "/v1/_unreadable",
      });
      expect(head).toContain(`konveier-request-id: ${problem.requestId}`);
      expect(head).toContain("x-content-type-options: nosniff");
      expect(head).toContain("cache-control: no-store");
    }
    for (const prefix of ["/", "/assets/", "/queues/", "/v1x/"]) {
      const { status, body } = await ask(server, prefix + junk, null, "POST");
      expect([status, JSON.parse(body)], prefix).toMatchObject([404, { instance: "/_unreadable" }]);
    }
    await vi.waitFor(() => {
      expect(server.logged('"request"').map(({ path, status }) => [path, status])).toEqual([
        ...new Array<unknown[]>(5)
          .fill([
            ["/v1/_unreadable", 401],
            ["/v1/_unreadable", 404],
          ])
          .flat(),
        ...new Array<unknown>(4).fill(["/_unreadable", 404]),
      ]);
    });
    expect(server.log.join("")).not.toMatch(/hush|secret/);
    expect(await countOf(server, 401)).toBe(5);
  });

  test("is found whatever is in it: every answer is a problem with an id, and is logged", async () => {
    const server = await startHttpServer();
    const random = seededRandom(14);
    const pieces = [
      "%",
      "%f",
      "%ff",
      "%2F",
      "%25",
      "%D0%BF",
      "%00",
      "/",
      "a",
      "?",
      "#",
      ";",
      "..",
      "//",
      "\\",
    ];
    const asked: string[] = [];
    for (let time = 0; time < 300; time += 1) {
      const junk = Array.from({ length: 6 }, () => pieces[Math.floor(random() * pieces.length)]).join("");
      const { status, head, body } = await ask(server, `/v1/queues/${junk}`, null);
      expect([status, head.includes("konveier-request-id: ")], junk).toEqual([401, true]);
      asked.push((JSON.parse(body) as Problem).requestId);
    }
    await vi.waitFor(() => {
      const logged = server.logged('"request"').map(({ requestId }) => requestId);
      expect(logged).toEqual(asked);
    });
  });
});

test("an address is the same with the origin before it, which stands in no answer and no log", async () => {
  const server = await startHttpServer();
  await server.post("/v1/jobs", { name: "a" });
  const origin = "http://me:hush@example.org:80";
  expect((await ask(server, `${origin}/v1/jobs?limit=5`, API_TOKEN)).status).toBe(200);
  expect((await ask(server, `${origin}/v1/nope`, null)).status).toBe(401);
  expect((await ask(server, `HTTPS://x/v1/nope`, null)).status).toBe(401);
  for (const url of [origin, `${origin}?a=b`, `${origin}/`])
    expect((await ask(server, url, null)).status).toBe(200);
  const { body } = await ask(server, `${origin}/nope`, null);
  expect(JSON.parse(body)).toMatchObject({ detail: "There is no such address.", instance: "/nope" });
  const { status } = await ask(server, "ftp://me:hush@x/v1/queues", null);
  expect(status).toBe(404);
  expect((await ask(server, "*", null, "OPTIONS")).status).toBe(405);
  await vi.waitFor(() => {
    expect(server.logged('"request"').map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/nope", "/v1/nope", "/_unreadable", "*"]),
    );
  });
  expect(server.log.join("")).not.toContain("hush");
});

test("a name or id that is too long is refused like every other that is none, after the token", async () => {
  const server = await startHttpServer();
  for (const path of ["/v1/queues/", "/v1/jobs/", "/v1/schedules/"]) {
    const short = await server.get(`${path}${"a".repeat(300)}`);
    const long = await server.get(`${path}${"a".repeat(15_000)}`);
    expect([long.status, long.body["code"]], path).toEqual([short.status, short.body["code"]]);
    expect((await server.get(`${path}${"a".repeat(15_000)}`, { token: null })).status).toBe(401);
  }
});
