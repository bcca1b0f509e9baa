import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startHttpServer } from "../support/http-server.js";
import { exchange } from "../support/raw-http.js";

/** All of its JavaScript together, compressed: what a browser loads once for a new version. */
const SCRIPT_BUDGET_BYTES = 220 * 1024;

const ASSETS = new URL("../../dist/dashboard/assets/", import.meta.url);

describe("the files of the dashboard", () => {
  test.each([
    "/",
    "/queues",
    "/queues/a%2Fb",
    "/jobs",
    "/jobs/1?q=x",
    "/dead",
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
        // A worker's connections are limited by the policy of its script.
        expect(headers.get("content-security-policy")).toContain("connect-src 'self'");
      }
    }
  });

  test.each(["/assets/none.js", "/assets/", "/assets", "/index.html", "/job", "/dashboard", "/favicon.ico"])(
    "there is nothing at %s",
    async (path) => {
      const server = await startHttpServer({ dashboard: true });
      expect((await server.get(path, { token: null })).status).toBe(404);
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
