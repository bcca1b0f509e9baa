import { promises as dns } from "node:dns";
import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { connectTo, exchange, happened, untilClosed } from "../support/raw-http.js";

/** Both are there on every Linux, with IPv6 and without. */
const ADDRESSES = ["127.0.0.1", "127.0.0.2"] as const;

function localhostIs(...addresses: readonly string[]): void {
  const found = addresses.map((address) => ({ address, family: 4 }));
  vi.spyOn(dns, "lookup").mockImplementation(() => Promise.resolve(found as never));
}

function at(server: HttpServer, address: string): string {
  return `http://${address}:${new URL(server.url).port}`;
}

function enqueuing(): string {
  const body = '{"name":"a"}';
  const headers = ["Host: x", `Authorization: Bearer ${API_TOKEN}`, "Content-Type: application/json"];
  return ["POST /v1/jobs HTTP/1.1", ...headers, `Content-Length: ${body.length}`, "", body].join("\r\n");
}

describe.each(ADDRESSES)("localhost that is %s and another address", (address) => {
  test("is one server at both", async () => {
    localhostIs(...ADDRESSES);
    const server = await startHttpServer({ host: "localhost" });
    expect(server.url).toContain(ADDRESSES[0]);
    const answer = await exchange(at(server, address), `${enqueuing()}no HTTP\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await exchange(at(server, address), "no HTTP\r\n\r\n")).toContain("application/problem+json");
  });

  test("answers requests that are on their way at the close", async () => {
    localhostIs(...ADDRESSES);
    const server = await startHttpServer({ host: "localhost" });
    const begun = server.nextConnection();
    const client = await connectTo(at(server, address));
    const answer = untilClosed(client);
    const request = enqueuing();
    client.write(request.slice(0, -1));
    await happened(await begun, "data");
    const closed = server.server.close();
    client.write(request.slice(-1));
    await closed;
    // Whoever has closed the server goes on to close the store.
    expect(server.logged('"status":201')).toHaveLength(1);
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  test("does not wait for connections at the close on which nothing was sent", async () => {
    localhostIs(...ADDRESSES);
    const server = await startHttpServer({ host: "localhost" });
    const begun = server.nextConnection();
    const client = await connectTo(at(server, address));
    const ended = untilClosed(client);
    await begun;
    await server.server.close();
    expect(await ended).toBe("");
  });

  test("takes no connections after the close", async () => {
    localhostIs(...ADDRESSES);
    const server = await startHttpServer({ host: "localhost" });
    await server.server.close();
    const client = connect({ host: address, port: Number(new URL(server.url).port) });
    const refused = vi.fn();
    client.on("error", refused);
    await happened(client, "close");
    expect(refused).toHaveBeenCalledWith(expect.objectContaining({ code: "ECONNREFUSED" }));
  });
});

test("an address of localhost that the machine has not keeps nobody from the others", async () => {
  // Of a net that is only for documentation.
  localhostIs("127.0.0.1", "192.0.2.1");
  const server = await startHttpServer({ host: "localhost" });
  expect((await server.get("/healthz")).status).toBe(200);
});
