import { describe, expect, test, vi } from "vitest";
import { ClaimView } from "../../src/api/claim.js";
import { runCli } from "../support/cli.js";
import { startHttpServer, type HttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

vi.setConfig({ testTimeout: 120_000 });

const ORDER = {
  name: "order",
  jobs: [
    { ref: "charge", name: "a" },
    { ref: "pack", name: "a", dependsOn: ["charge"], onDependencyFailure: "block" },
    { ref: "mail", name: "b", queue: "mail", dependsOn: ["pack", "charge"], onDependencyFailure: "block" },
  ],
};

const run = (server: HttpServer, ...args: readonly string[]) => runCli(server, ["flows", ...args]);

/** A server with the flow 1, whose first job has died, and the flows 2 and 3. */
async function startWithFlows(): Promise<HttpServer> {
  const server = await startHttpServer();
  await server.post("/v1/flows", ORDER);
  const { jobs } = (await server.post("/v1/claim", { workerId: "w", queues: ["default"] })).as(ClaimView);
  const { id, leaseToken } = jobs[0]!;
  await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error: { message: "no" }, retry: "never" });
  for (const name of ["order", "night"]) {
    await server.post("/v1/flows", { name, jobs: [{ ref: "x", name: "a", queue: "other" }] });
  }
  return server;
}

describe("konveier flows", () => {
  test("list shows flows, newest first, all or some", async () => {
    const server = await startWithFlows();
    const [json, table, named, first, none, ended] = await Promise.all([
      run(server, "list"),
      run(server, "list", "-o", "table"),
      run(server, "list", "--name", "order", "-o", "ids"),
      run(server, "list", "--limit", "1", "-o", "ids"),
      run(server, "list", "--state", "failed", "-o", "table"),
      run(server, "list", "--state", "failed"),
    ]);
    expect(json.code).toBe(0);
    expect(json.lines).toMatchObject([
      { id: "3", name: "night", state: "running" },
      { id: "2", name: "order" },
      { id: "1", name: "order", state: "running", counts: { jobs: 3, dead: 1 } },
    ]);
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(
      /^ *ID +NAME +STATE +JOBS +COMPLETED +DEAD +CANCELLED +CREATED +ENDED\n *3 +night .*\n *2 .*\n *1 +order +running +3 +0 +1 +0 .*\n$/,
    );
    expect([named.words, first.words]).toEqual([["2", "1"], ["3"]]);
    expect([none.code, none.stdout, none.stderr]).toEqual([0, "", "There are no such flows.\n"]);
    expect([ended.code, ended.stdout]).toEqual([0, ""]);
  });

  test("get shows one with its jobs and what they wait for", async () => {
    const server = await startWithFlows();
    const [json, table, some, ids] = await Promise.all([
      run(server, "get", "1"),
      run(server, "get", "1", "-o", "table"),
      run(server, "get", "1", "--limit", "2"),
      run(server, "get", "1", "-o", "ids"),
    ]);
    expect(json.code).toBe(0);
    expect(json.json).toMatchObject({
      id: "1",
      stuck: true,
      states: { dead: 1, blocked: 2 },
      jobs: [
        { ref: "charge", state: "dead" },
        { ref: "pack", dependsOn: [{ ref: "charge" }] },
        { ref: "mail" },
      ],
    });
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(/^state +running, stuck: retry what the others wait for$/m);
    expect(table.stdout).toMatch(/^blocked +2$/m);
    expect(table.stdout).toMatch(/^ *ID +REF +STATE +QUEUE +NAME +WAITS FOR$/m);
    expect(table.stdout).toMatch(/^ *1 +charge +dead +default +a *$/m);
    expect(table.stdout).toMatch(/^ *3 +mail +blocked +mail +b +charge \(dead\), pack \(blocked\)$/m);
    expect((some.json as { jobs: readonly unknown[] }).jobs).toHaveLength(2);
    expect(ids.stdout).toBe("1\n");
  });

  test("retry starts over what did not complete, cancel ends what has not ended", async () => {
    const server = await startWithFlows();
    expect(await run(server, "retry", "1")).toMatchObject({
      code: 0,
      json: { changed: 1, flow: { id: "1", state: "running", counts: { dead: 0 } } },
    });
    const cancelled = await run(server, "cancel", "1", "-o", "table");
    expect(cancelled.code).toBe(0);
    expect(cancelled.stdout).toMatch(/^id +1\nchanged +3 jobs\nstate +cancelled\n$/);
    expect(await run(server, "cancel", "1")).toMatchObject({ code: 0, json: { changed: 0 } });
    const retried = await run(server, "retry", "1", "-o", "table");
    expect(retried.stdout).toMatch(/^id +1\nchanged +3 jobs\nstate +running\n$/);
    expect(await run(server, "cancel", "1", "-o", "ids")).toMatchObject({ code: 0, stdout: "1\n" });
  });

  test("ends by what went wrong", async () => {
    const server = await startWithFlows();
    const { token } = await issueToken(server, ["operator"], { queues: ["default"] });
    const limited = { env: { KONVEIER_TOKEN: token } };
    const ends = await Promise.all([
      run(server, "get", "9"),
      run(server, "cancel", "9"),
      run(server, "retry", "9"),
      run(server, "list", "--state", "dead"),
      run(server, "get", "1", "--limit", "0"),
      run(server, "get", "abc"),
      run(server, "get"),
      runCli(server, ["flows", "list"], limited),
      runCli(server, ["flows", "cancel", "1"], limited),
      runCli({ url: "http://127.0.0.1:9" }, ["flows", "list"]),
    ]);
    expect(ends.map(({ code }) => code)).toEqual([3, 3, 3, 2, 2, 2, 2, 5, 5, 6]);
    for (const { stdout } of ends) expect(stdout).toBe("");
    expect(ends[0].stderr).toMatch(/^konveier: .*flow 9/i);
    expect((await run(server, "get", "1")).json).toMatchObject({ state: "running" });
  });
});
