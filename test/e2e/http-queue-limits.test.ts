import { describe, expect, test } from "vitest";
import { SchedulePageView } from "../../src/api/schedule.js";
import { JobDetailView } from "../../src/api/job.js";
import { Problem } from "../../src/api/problem.js";
import { startHttpServer } from "../support/http-server.js";
import { issueToken } from "../support/tokens.js";

async function prepared() {
  const server = await startHttpServer();
  const { token } = await issueToken(server, ["operator"], { queues: ["mine"] });
  return { server, token };
}

describe("a token that covers some queues", () => {
  test.each([
    ["POST", "/cancel"],
    ["POST", "/run-now"],
    ["DELETE", ""],
    ["GET", "/wait?timeoutMs=0"],
  ])("does not reach with %s …%s a job of others that is made meanwhile", async (method, path) => {
    const { server, token } = await prepared();
    const { jobs } = server.store;
    const get = jobs.get.bind(jobs);
    Object.assign(jobs, {
      get: async (id: string) => {
        const job = await get(id);
        Object.assign(jobs, { get });
        await server.post("/v1/jobs", { name: "a", queue: "theirs", delayMs: 60_000 });
        return job;
      },
    });
    const answer = await server.send(method, `/v1/jobs/1${path}`, { token });
    expect(answer.as(Problem).code).toBe("job_not_found");
    const job = (await server.get("/v1/jobs/1")).as(JobDetailView);
    expect(job).toMatchObject({ queue: "theirs", state: "scheduled" });
  });

  test("gets full pages of its schedules, whose cursors name none of others", async () => {
    const { server, token } = await prepared();
    for (const [key, queue] of Object.entries({
      "a-secret": "theirs",
      "b-own": "mine",
      "c-secret": "theirs",
      "d-own": "mine",
      "e-secret": "theirs",
      "f-own": "mine",
      "g-secret": "theirs",
    })) {
      await server.send("PUT", `/v1/schedules/${key}`, {
        json: { everyMs: 60_000, job: { name: "a", queue } },
      });
    }
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? "" : `&cursor=${cursor}`;
      const answer = await server.get(`/v1/schedules?limit=2${from}`, { token });
      const { items, nextCursor } = answer.as(SchedulePageView);
      pages.push(items.map(({ key }) => key));
      expect(Buffer.from(nextCursor ?? "", "base64url").toString()).not.toContain("secret");
      cursor = nextCursor;
    } while (cursor !== null);
    expect(pages).toEqual([["b-own", "d-own"], ["f-own"]]);
  });

  test("is not told in which queue a dependency is", async () => {
    const { server, token } = await prepared();
    await server.post("/v1/flows", {
      name: "mixed",
      jobs: [
        { ref: "first", name: "a", queue: "theirs" },
        { ref: "second", name: "a", queue: "mine", dependsOn: ["first"] },
      ],
    });
    const refused = await server.get("/v1/jobs/2/dependencies", { token });
    expect(refused.as(Problem).code).toBe("queue_not_allowed");
    expect(refused.text).not.toContain("theirs");
  });
});
