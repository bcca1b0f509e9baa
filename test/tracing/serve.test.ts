import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { eventually, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { OtlpReceiver } from "./receiver.js";

const program = (name: string) => fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url));
const WEBHOOK = { name: "webhook.call", payload: { url: "http://nowhere.invalid/" }, maxAttempts: 1 };

async function jobEnded(server: ServerProcess, id = "1") {
  return eventually(
    () => server.get<{ state: string; traceparent: string | null }>(`/v1/jobs/${id}`),
    ({ body }) => body.state === "dead",
  );
}

/** Packages of OpenTelemetry that a server has loaded which ran with these variables. */
async function packagesLoaded(env: Record<string, string>): Promise<Set<string | undefined>> {
  const cwd = tempDirectory();
  const file = join(cwd, "modules.txt");
  const NODE_OPTIONS = `--import ${program("list-modules")}`;
  const server = await startServer({ cwd, env: { ...env, NODE_OPTIONS, MODULES_FILE: file } });
  await server.post("/v1/jobs", WEBHOOK);
  await jobEnded(server);
  expect(await server.stop()).toMatchObject({ code: 0 });
  const names = [...readFileSync(file, "utf8").matchAll(/node_modules\/@opentelemetry\/([a-z-]+)\//g)];
  return new Set(names.map(([, name]) => name));
}

describe("konveier serve", () => {
  test("sends spans to the OTLP endpoint that is set, the last ones when it stops", async () => {
    const receiver = await OtlpReceiver.start();
    const server = await startServer({
      cwd: tempDirectory(),
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      },
    });
    await server.post("/v1/jobs", WEBHOOK);
    const { body } = await jobEnded(server);
    expect(await server.stop()).toMatchObject({ code: 0 });
    const enqueued = receiver.spans.find(({ name }) => name === "enqueue default");
    const processed = receiver.spans.find(({ name }) => name === "process default");
    expect(enqueued).toMatchObject({ kind: 4 });
    expect(processed).toMatchObject({ kind: 5 });
    expect(body.traceparent).toBe(`00-${enqueued!.traceId}-${enqueued!.spanId}-01`);
    expect(processed!.links).toMatchObject([{ traceId: enqueued!.traceId, spanId: enqueued!.spanId }]);
    expect([...receiver.services]).toEqual(["konveier"]);
    expect([...receiver.paths]).toEqual(["/v1/traces"]);
  });

  test("takes the name of the service and the address for spans from the variables of OpenTelemetry", async () => {
    const receiver = await OtlpReceiver.start();
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/spans`,
      OTEL_SERVICE_NAME: "orders",
    };
    const server = await startServer({ cwd: tempDirectory(), env });
    await server.post("/v1/jobs", { name: "nobody.runs.this" });
    await server.stop();
    expect([...receiver.services]).toEqual(["orders"]);
    expect([...receiver.paths]).toEqual(["/spans"]);
  });

  test("loads the SDK only where it is configured", async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: (await OtlpReceiver.start()).url };
    // prom-client loads the package `api`, with or without tracing.
    expect([...(await packagesLoaded({}))]).toEqual(["api"]);
    expect([...(await packagesLoaded({ ...endpoint, OTEL_SDK_DISABLED: "true" }))]).toEqual(["api"]);
    expect([...(await packagesLoaded({ ...endpoint, OTEL_TRACES_EXPORTER: "none" }))]).toEqual(["api"]);
    expect([...(await packagesLoaded(endpoint))]).toContain("sdk-trace-node");
  });

  test("says what to install when the SDK is missing, and serves without it", async () => {
    const server = await startServer({
      cwd: tempDirectory(),
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
        NODE_OPTIONS: `--import ${program("without-sdk")}`,
      },
    });
    await server.post("/v1/jobs", WEBHOOK);
    expect((await jobEnded(server)).body.traceparent).toBeNull();
    const lines = server.log.filter(({ event }) => event === "tracing.unavailable");
    expect(lines).toHaveLength(1);
    expect(lines[0]?.["msg"]).toContain("npm install @opentelemetry/api");
    expect(await server.stop()).toMatchObject({ code: 0 });
  });

  test("says once that spans are refused, and goes on", async () => {
    const { url } = await OtlpReceiver.start(400);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "10" };
    const server = await startServer({ cwd: tempDirectory(), env });
    await server.post("/v1/jobs", WEBHOOK);
    await server.logged("tracing.failed");
    await server.post("/v1/jobs", WEBHOOK);
    await jobEnded(server, "2");
    expect(await server.stop()).toMatchObject({ code: 0 });
    expect(server.log.filter(({ event }) => event === "tracing.failed")).toHaveLength(1);
  });

  test("stops all the same when nobody receives the spans", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    const server = await startServer({ cwd: tempDirectory(), env });
    await server.post("/v1/jobs", WEBHOOK);
    await jobEnded(server);
    expect(await server.stop()).toMatchObject({ code: 0 });
  });
});
