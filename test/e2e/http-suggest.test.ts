import { describe, expect, test } from "vitest";
import { SuggestView } from "../../src/api/suggest.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

async function setUp() {
  const server = await startHttpServer();
  await server.post("/v1/jobs/batch", {
    jobs: [
      { queue: "email", name: "email.send", tags: ["vip"] },
      { queue: "secret", name: "email.hidden", tags: ["vip.secret"] },
    ],
  });
  for (const [key, queue] of [
    ["nightly", "email"],
    ["night-secret", "secret"],
  ]) {
    await server.send("PUT", `/v1/schedules/${key!}`, {
      json: { cron: "@daily", job: { name: "work", queue } },
    });
  }
  for (const [id, queue] of [
    ["w-1", "email"],
    ["w-2", "secret"],
  ]) {
    await server.post("/v1/claim", { workerId: id, queues: [queue], names: ["none"] });
  }
  return server;
}

async function suggest(server: HttpServer, query: string, token?: string): Promise<readonly string[]> {
  const answer = await server.get(`/v1/suggest?${query}`, token === undefined ? {} : { token });
  return answer.as(SuggestView).items;
}

describe("GET /v1/suggest", () => {
  test("suggests what begins as it was typed", async () => {
    const server = await setUp();
    expect(await suggest(server, "field=queue&prefix=e")).toEqual(["email"]);
    expect(await suggest(server, "field=name&prefix=email.")).toEqual(["email.hidden", "email.send"]);
    expect(await suggest(server, "field=tag&prefix=vi&limit=1")).toEqual(["vip"]);
    expect(await suggest(server, "field=schedule&prefix=night")).toEqual(["night-secret", "nightly"]);
    expect(await suggest(server, "field=worker")).toEqual(["w-1", "w-2"]);
    expect(await suggest(server, "field=worker&limit=1")).toEqual(["w-1"]);
    expect(await suggest(server, "field=tag&prefix=%25")).toEqual([]);
  });

  test("a token that is limited to some queues gets nothing of others", async () => {
    const server = await setUp();
    const { token } = await issueToken(server, ["read-only"], { queues: ["email"] });
    expect(await suggest(server, "field=queue", token)).toEqual(["email"]);
    expect(await suggest(server, "field=name&prefix=email.", token)).toEqual(["email.send"]);
    expect(await suggest(server, "field=tag&prefix=v", token)).toEqual([]);
    expect(await suggest(server, "field=schedule", token)).toEqual(["nightly"]);
    expect(await suggest(server, "field=worker", token)).toEqual(["w-1"]);
  });

  test("refuses other fields, limits and parameters", async () => {
    const server = await startHttpServer();
    const long = "x".repeat(256);
    for (const query of ["", "field=id", "field=name&limit=51", "field=name&limit=0", "field=name&q=a"]) {
      expect((await server.get(`/v1/suggest?${query}`)).status, query).toBe(422);
    }
    expect((await server.get(`/v1/suggest?field=name&prefix=${long}`)).status).toBe(422);
  });
});
