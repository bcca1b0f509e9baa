import { execFile, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { API_TOKEN, startHttpServer, type HttpServer } from "../support/http-server.js";
import { routesOf } from "../support/routes.js";
import { tempDirectory } from "../support/temp-directory.js";

const TEXT = readFileSync(new URL("../../docs/http-api.md", import.meta.url), "utf8");

/** Every documented route with its `curl` example. */
const ROUTES = TEXT.split("\n### ").flatMap((section) => {
  const [, method, path] = /^`([A-Z]+) (\S+)`/.exec(section) ?? [];
  if (method === undefined || path === undefined) return [];
  return [{ route: `${method} ${path}`, example: /```sh\n([^]*?)```/.exec(section)?.[1] ?? "" }];
});

/** The state that an example needs its job to be in; `running`, with a lease, unless it says otherwise. */
const NEEDED: Readonly<Record<string, "completed" | "dead" | "scheduled">> = {
  "GET /v1/jobs/{id}/result": "completed",
  "GET /v1/jobs/{id}/wait": "completed",
  "POST /v1/jobs/{id}/retry": "dead",
  "POST /v1/jobs/{id}/run-now": "scheduled",
};

async function prepare(server: HttpServer, route: string): Promise<{ ID: string; LEASE_TOKEN: string }> {
  const needed = NEEDED[route];
  if (route.includes("/schedules/{key}") && !route.startsWith("PUT")) {
    await server.send("PUT", "/v1/schedules/nightly-report", {
      json: { cron: "@daily", job: { name: "a" } },
    });
  }
  await server.post("/v1/jobs", { name: "a", ...(needed === "scheduled" && { delayMs: 60_000 }) });
  if (needed === "scheduled") return { ID: "1", LEASE_TOKEN: "" };
  const { jobs } = (await server.post("/v1/claim", { workerId: "w", queues: ["default"] })).as(ClaimView);
  const { id, leaseToken } = jobs[0]!;
  if (needed === "completed") await server.post(`/v1/jobs/${id}/complete`, { leaseToken, result: 1 });
  if (needed === "dead") {
    await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error: { message: "x" }, retry: "never" });
  }
  return { ID: id, LEASE_TOKEN: leaseToken };
}

async function startOperation(server: HttpServer): Promise<string> {
  const preview = await server.post("/v1/jobs/bulk/preview", { action: "cancel", q: "name:a" });
  const started = await server.post("/v1/jobs/bulk", { previewToken: preview.body["previewToken"] });
  return started.body["id"] as string;
}

describe("docs/http-api.md", () => {
  test("has every route, and no other", async () => {
    const server = await startHttpServer();
    const addresses = routesOf(server.server.app).map(({ url }) => url.replaceAll(/:(\w+)/g, "{$1}"));
    const paths = new Set(ROUTES.map(({ route }) => route.split(" ")[1] ?? ""));
    expect([...paths].sort()).toEqual([...new Set(addresses)].sort());
    // The methods that each address says it takes.
    for (const path of paths) {
      const answer = await server.send("OPTIONS", path.replaceAll(/\{\w+\}/g, "1"));
      const documented = ROUTES.filter(({ route }) => route.endsWith(` ${path}`)).map(
        ({ route }) => route.split(" ")[0],
      );
      const allowed = answer.headers
        .get("allow")
        ?.split(", ")
        .filter((method) => method !== "HEAD");
      expect(allowed, path).toEqual(documented.sort());
    }
  });

  const hasCurl = spawnSync("curl", ["--version"]).status === 0;
  test.skipIf(!hasCurl).each(ROUTES)("the example of $route works", async ({ route, example }) => {
    expect(example).toContain("curl");
    const server = await startHttpServer();
    const job = await prepare(server, route);
    const OPERATION = route.includes("/operations/{id}") ? await startOperation(server) : "";
    const home = tempDirectory();
    // An error must fail the example.
    writeFileSync(join(home, ".curlrc"), "fail\n");
    const env = {
      PATH: process.env["PATH"],
      CURL_HOME: home,
      KONVEIER: server.url,
      API_TOKEN,
      OPERATION,
      ...job,
    };
    const { stdout } = await promisify(execFile)("/bin/sh", ["-ec", example], { env, cwd: home });
    const isText = route === "GET /" || route === "GET /metrics";
    if (route === "GET /v1/events") expect(stdout).toMatch(/^retry: \d+\nid: \d+\n\n/);
    else if (route === "GET /v1/live") expect(stdout).toMatch(/^retry: \d+\n\nevent: snapshot\ndata: \{/);
    else if (stdout !== "" && !isText) expect(() => JSON.parse(stdout) as unknown).not.toThrow();
  });
});
