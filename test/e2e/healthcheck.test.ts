import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { konveier, type Outcome } from "../support/command.js";
import { startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

let cwd: string;

beforeEach(() => {
  cwd = tempDirectory();
});

function check(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return konveier(["healthcheck", ...args], { cwd, env });
}

const WELL = { code: 0, stdout: "", stderr: "" };

/** A program that answers every request as it is told, or never. */
async function program(answer: number | null): Promise<string> {
  const server = createServer((_request, response) => {
    if (answer !== null) response.writeHead(answer).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return String((server.address() as AddressInfo).port);
}

describe("konveier healthcheck", () => {
  it("says nothing when the server of the environment is well", async () => {
    const server = await startServer({ cwd });
    const { port } = new URL(server.url);
    expect(await check([], { PORT: port, HOST: "0.0.0.0" })).toMatchObject(WELL);
    expect(await check(["--ready"], { PORT: port })).toMatchObject(WELL);
    expect(await check(["--ready", "--url", server.url])).toMatchObject(WELL);
  });

  it("tells a server that lives from one that is ready", async () => {
    const server = await startServer({ cwd });
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(join(cwd, "data", `konveier.db${suffix}`), { force: true });
    expect(await check(["--url", server.url])).toMatchObject(WELL);
    const outcome = await check(["--ready", "--url", server.url]);
    expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: "konveier: /readyz answered 503\n" });
  });

  it("fails where nobody listens, where the answer is another, and where none comes", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    expect(await check([], { PORT: String(port) })).toMatchObject({ code: 1, stdout: "" });
    expect(await check([], { PORT: await program(404) })).toMatchObject({ code: 1, stdout: "" });
    expect(await check([], { PORT: await program(302) })).toMatchObject({ code: 1, stdout: "" });
    expect(await check([], { PORT: await program(null) })).toMatchObject({ code: 1, stdout: "" });
  });
});
