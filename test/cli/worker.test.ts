import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runCli, startCli } from "../support/cli.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { eventually } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

vi.setConfig({ testTimeout: 120_000 });

const MODULE = `
export const jobs = [
  { name: "double", handler: ({ payload }) => payload * 2 },
  { name: "wait", handler: ({ signal, log }) => {
    console.log("waiting");
    // Forgotten by the handler: it must not keep the process when the worker has ended.
    setInterval(() => undefined, 1_000_000);
    return new Promise((resolve) => signal.addEventListener("abort", resolve));
  } },
];
`;

function moduleFile(text: string): string {
  const file = join(tempDirectory(), "jobs.mjs");
  writeFileSync(file, text);
  return file;
}

async function jobWhen(server: HttpServer, id: string, state: string) {
  const ask = async () => (await server.get(`/v1/jobs/${id}`)).body;
  return eventually(ask, (job) => job["state"] === state);
}

test.each(["over HTTP", "beside the database"])(
  "a worker %s runs a module until signals come",
  async (where) => {
    const server = await startHttpServer();
    const place = where === "over HTTP" ? [] : ["--database", `sqlite:${server.file}`];
    const args = [
      "worker",
      moduleFile(MODULE),
      "--queues",
      "a,b",
      "--concurrency",
      "3",
      "--id",
      "w1",
      ...place,
    ];
    const worker = startCli(server, args);
    await server.post("/v1/jobs", { name: "double", payload: 21, queue: "b" });
    await jobWhen(server, "1", "completed");
    expect((await server.get("/v1/jobs/1/result")).json).toBe(42);
    expect((await server.get("/v1/workers")).json).toMatchObject({ items: [{ id: "w1", concurrency: 3 }] });

    await server.post("/v1/jobs", { name: "wait", queue: "a" });
    await worker.until(() => worker.output.includes("waiting"));
    worker.kill("SIGTERM");
    await worker.until(() => worker.output.includes("stopping"));
    expect((await server.get("/v1/jobs/2")).body).toMatchObject({ state: "running" });
    // The second one counts after a second: before it would be the echo of the first.
    const again = setInterval(() => {
      worker.kill("SIGTERM");
    }, 200);
    expect(await worker.exited).toMatchObject({ signal: null });
    clearInterval(again);
    expect((await server.get("/v1/jobs/2")).body["state"]).not.toBe("running");
  },
);

test("a worker makes no database where there is none, and takes one place to work at", async () => {
  const server = await startHttpServer();
  const file = moduleFile(MODULE);
  const missing = join(tempDirectory(), "typo.db");
  const [typo, both] = await Promise.all([
    runCli(server, ["worker", file, "--database", `sqlite:${missing}`]),
    runCli(server, ["worker", file, "--database", `sqlite:${server.file}`, "--url", server.url]),
  ]);
  expect(typo).toMatchObject({ code: 78, stderr: `konveier: there is no database ${missing}\n` });
  expect(existsSync(missing)).toBe(false);
  expect(both.code).toBe(2);
  expect(both.stderr).toContain("it excludes --url and --token-file");
});

test("a worker that cannot start says why", async () => {
  const server = await startHttpServer();
  const good = moduleFile("export default { name: 'a', handler: () => 1 };");
  const outcomes = await Promise.all([
    runCli(server, ["worker", moduleFile("export const x = 1;")]),
    runCli(server, ["worker", "/nowhere/jobs.mjs"]),
    runCli(server, ["worker", good], { env: { KONVEIER_TOKEN: "wrong" } }),
    runCli(server, ["worker", good, "--queues", "no/name"]),
    runCli(server, ["worker", good, "--url", "http://127.0.0.1:9"]),
  ]);
  expect(outcomes.map(({ code }) => code)).toEqual([78, 78, 5, 2, 6]);
  expect(outcomes[0].stderr).toContain("must export `jobs`");
});
