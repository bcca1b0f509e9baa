import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startHttpServer } from "../support/http-server.js";
import { connectTo, exchange, happened } from "../support/raw-http.js";

/** All of its JavaScript together, compressed: what a browser loads once for a new version. */
const SCRIPT_BUDGET_BYTES = 220 * 1024;

const ASSETS = new URL("../../dist/dashboard/assets/", import.meta.url);

function openFiles(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}

describe("the files of the dashboard", () => {
  test.each([
    "/",
    "/queues",
    "/jobs",
    "/flows",
    "/dead",
    "/queues/a%2Fb",
    "/jobs/1?q=x",
    "/jobs/1/",
    "/flows/1",
    "/dead/",
    "/schedules/x",
    "/settings?tab=access",
  ])("the address %s is the page, for everybody, under a strict policy", async (path) => {
    const server = await startHttpServer({ dashboard: true });
    const { status, headers, text } = await server.get(path, { token: null });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain('<div id="root"></div>');
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    // A new build has other file names: an old page must not come out of a cache.
    expect(headers.get("cache-control")).toBe("public, max-age=0");
    // Nothing runs and nothing is styled that is written in the document itself.
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
  });

  test("are compressed where the browser reads that, never change, and have the page's policy", async () => {
    const server = await startHttpServer({ dashboard: true });
    for (const file of readdirSync(ASSETS).filter((name) => !/\.(gz|br)$/.test(name))) {
      const url = `${server.url}/assets/${file}`;
      for (const encoding of ["br", "gzip", "identity"]) {
        const { headers } = await fetch(url, { headers: { "accept-encoding": encoding } });
        expect(headers.get("content-encoding") ?? "identity").toBe(encoding);
        expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
        // Or a cache on the way hands the compressed bytes to whoever cannot read them.
        expect(headers.get("vary")).toBe("Accept-Encoding");
        // A worker's connections are limited by the policy of its script.
        expect(headers.get("content-security-policy")).toContain("connect-src 'self'");
      }
    }
  });

  test.each(["/assets/none.js", "/assets/", "/assets", "/index.html", "/job", "/dashboard", "/favicon.ico"])(
    "there is nothing at %s",
    async (path) => {
      const server = await startHttpServer({ dashboard: true });
      const { status, headers } = await server.get(path, { token: null });
      // Soon it may be there.
      expect([status, headers.get("cache-control")]).toEqual([404, "no-store"]);
    },
  );

  test.each(["/nope", "/a/b?q=1", "/Jobs", "/v2"])(
    "the address %s is of no page: a person gets the page that says so, a program JSON",
    async (path) => {
      const server = await startHttpServer({ dashboard: true });
      const people = await server.get(path, { token: null, headers: { accept: "text/html,*/*;q=0.8" } });
      expect([people.status, people.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(people.text).toContain('<div id="root"></div>');
      expect(people.headers.get("content-security-policy")).toContain("script-src 'self'");
      expect(people.headers.get("cache-control")).toBe("no-store");
      for (const accept of ["*/*", "application/json", "text/html;q=0"]) {
        const program = await server.get(path, { token: null, headers: { accept } });
        expect([program.status, program.headers.get("content-type")]).toEqual([
          404,
          "application/problem+json; charset=utf-8",
        ]);
      }
    },
  );

  test.each(["/v1/nope", "/v1/jobs/1/nope", "/v1"])("%s is JSON for everybody", async (path) => {
    const server = await startHttpServer({ dashboard: true });
    const { status, headers } = await server.get(path, { headers: { accept: "text/html" } });
    expect([status, headers.get("content-type")]).toEqual([404, "application/problem+json; charset=utf-8"]);
  });

  test.each(["bytes=0-3", "bytes=5-1", "bytes=99999999-", "furlongs=1-2"])(
    "are sent whole to whoever asks for the range %s",
    async (range) => {
      const server = await startHttpServer({ dashboard: true });
      const answer = await fetch(`${server.url}/theme.js`, { headers: { range } });
      expect([answer.status, answer.headers.get("accept-ranges")]).toEqual([200, null]);
      expect(await answer.text()).toBe(readFileSync(new URL("../theme.js", ASSETS), "utf8"));
    },
  );

  test.each([
    "/assets/../index.html",
    "/assets/..%2f..%2fcli%2fmain.js",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/..\\..\\x",
    "/assets/a%00.js",
  ])("API-03 nothing outside their folder can be reached by %s", async (path) => {
    const server = await startHttpServer({ dashboard: true });
    const answer = await exchange(server.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[034] /);
    expect(answer).not.toMatch(/konveier"|import /);
  });

  test.each(["/", "/theme.js"])("are not sent again to whoever has %s as it is", async (path) => {
    const server = await startHttpServer({ dashboard: true });
    const tags = new Set<string>();
    for (const encoding of ["br", "gzip", "identity"]) {
      const headers = { "accept-encoding": encoding };
      const first = await fetch(server.url + path, { headers });
      const etag = first.headers.get("etag") ?? "";
      tags.add(etag);
      expect(await statusFor(`"other", W/${etag}`)).toBe(304);
      expect(await statusFor('"other"')).toBe(200);

      async function statusFor(known: string): Promise<number> {
        return (await fetch(server.url + path, { headers: { ...headers, "if-none-match": known } })).status;
      }
    }
    expect(tags.size).toBe(3);
  });

  test("leave no file open when a client goes away from a thousand answers", async () => {
    const server = await startHttpServer({ dashboard: true });
    const file = readdirSync(ASSETS).find((name) => name.endsWith(".js")) ?? "";
    const before = openFiles();
    for (let round = 0; round < 20; round += 1) {
      const socket = await connectTo(server.url);
      socket.write(`GET /assets/${file} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(50));
      await happened(socket, "data");
      socket.destroy();
      await happened(socket, "close");
    }
    await server.get("/healthz");
    expect(openFiles()).toBeLessThan(before + 50);
  });

  test("have no more JavaScript than their budget", () => {
    const scripts = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
    const sizes = scripts.map((name) => gzipSync(readFileSync(new URL(name, ASSETS)), { level: 9 }).length);
    expect(scripts.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(SCRIPT_BUDGET_BYTES);
  });

  test("are not there when the server is made without them", async () => {
    const server = await startHttpServer({ dashboard: false });
    expect((await server.get("/", { token: null })).headers.get("content-type")).toContain("text/plain");
    expect((await server.get("/jobs", { token: null })).status).toBe(404);
  });
});
