import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";

const TEXT = readFileSync(new URL("../../docs/workers.md", import.meta.url), "utf8");
const hasTools = ["curl", "jq"].every((tool) => spawnSync(tool, ["--version"]).status === 0);

// Skipped where curl or jq is missing: nobody would run it there either.
test.skipIf(!hasTools)("WRK-14 the worker in shell works off a queue and ends", async () => {
  const script = /```sh\n([^]*?)```/.exec(TEXT)?.[1] ?? "";
  expect(script).toContain("/v1/claim");
  const server = await startHttpServer();
  await server.post("/v1/jobs/batch", {
    jobs: [
      { name: "a", payload: [1, 2, 3] },
      { name: "a", payload: true, maxAttempts: 1 },
    ],
  });
  const env = { PATH: process.env["PATH"], KONVEIER: server.url, API_TOKEN };
  // No job comes any more: it need not wait for one.
  const hurried = script.replace('"waitMs": 10000', '"waitMs": 0');
  await promisify(execFile)("/bin/sh", ["-c", hurried], { env });
  expect((await server.get("/v1/jobs/1/result")).text).toBe('{"length":3}');
  expect((await server.get("/v1/jobs/2")).body).toMatchObject({
    state: "dead",
    lastError: { message: "jq failed" },
  });
});
