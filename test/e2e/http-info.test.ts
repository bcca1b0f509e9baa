import { describe, expect, test } from "vitest";
import { InfoView } from "../../src/api/info.js";
import { ALL_SCOPES } from "../../src/core/access.js";
import { version } from "../../src/server/version.js";
import { newestVersion } from "../../src/store/sqlite/migrate.js";
import { startHttpServer } from "../support/http-server.js";
import { startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { issueToken } from "../support/tokens.js";

describe("GET /v1/info", () => {
  test("tells what it is, to every token, and settings only to administrators", async () => {
    const server = await startHttpServer({ trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
    const all = (await server.get("/v1/info")).as(InfoView);
    expect(all).toMatchObject({
      version: version(),
      store: { kind: "sqlite", schemaVersion: newestVersion() },
      environment: null,
      limits: { payloadBytes: 262_144, batchJobs: 1_000, logLines: 1_000, steps: 1_000 },
      retention: null,
      trustedProxies: 2,
      settings: [],
    });
    expect(all.store.version).toMatch(/^3\.\d+\.\d+$/);
    expect(Date.parse(all.startedAt)).toBeLessThanOrEqual(Date.parse(all.now));
    for (const scope of ALL_SCOPES.filter((each) => each !== "admin")) {
      const { token } = await issueToken(server, [scope]);
      expect((await server.get("/v1/info", { token })).as(InfoView).settings, scope).toBeNull();
    }
    expect((await server.get("/v1/info", { token: null })).status).toBe(401);
  });

  test("a started server tells how it runs, and nothing of where its files are", async () => {
    const cwd = tempDirectory();
    const server = await startServer({
      cwd,
      env: {
        DATABASE_URL: `sqlite:${cwd}/jobs.db`,
        KONVEIER_ENV_LABEL: "staging",
        KONVEIER_ENV_COLOR: "#0369a1",
        KONVEIER_RETENTION_DEAD_MS: "never",
      },
    });
    const answer = await fetch(`${server.url}/v1/info`, {
      headers: { authorization: "Bearer token-of-the-tests" },
    });
    const text = await answer.text();
    const info = JSON.parse(text) as InfoView;
    expect(info.environment).toEqual({ label: "staging", color: "#0369a1" });
    expect(info.retention).toEqual({
      completedMs: 604_800_000,
      cancelledMs: 604_800_000,
      deadMs: null,
      maxCompleted: null,
    });
    const dead = info.settings!.find(({ name }) => name === "KONVEIER_RETENTION_DEAD_MS");
    expect(dead).toMatchObject({ value: "never", source: "environment" });
    for (const hidden of [cwd, "jobs.db", "token-of-the-tests"]) expect(text).not.toContain(hidden);
  });
});
