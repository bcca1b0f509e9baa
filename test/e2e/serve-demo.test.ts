import { beforeEach, describe, expect, it } from "vitest";
import { eventually, startServer, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

interface Queue {
  readonly name: string;
  readonly pausedAt: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

let cwd: string;

beforeEach(() => {
  cwd = tempDirectory();
});

/** Jobs by state, over all queues. */
async function totals(server: ServerProcess): Promise<Record<string, number>> {
  const { body } = await server.get<{ items: Queue[] }>("/v1/queues");
  const sums: Record<string, number> = {};
  for (const { counts } of body.items) {
    for (const [state, count] of Object.entries(counts)) sums[state] = (sums[state] ?? 0) + count;
  }
  return sums;
}

describe("SEED_DEMO=1", () => {
  it(
    "gives every screen something to show, once, and says that it is simulated",
    { timeout: 60_000 },
    async () => {
      const env = { SEED_DEMO: "1", API_TOKEN: "demo", KONVEIER_SHUTDOWN_GRACE_MS: "0" };
      const first = await startServer({ cwd, env });
      expect(first.stdout).toContain("email.send and image.resize are simulated: nothing is sent");
      const states = ["scheduled", "pending", "running", "completed", "dead", "cancelled"];
      await eventually(
        () => totals(first),
        (sums) => states.every((state) => (sums[state] ?? 0) > 0),
        40_000,
      );
      const { body: queues } = await first.get<{ items: Queue[] }>("/v1/queues");
      expect(queues.items.map(({ name }) => name)).toEqual([
        "default",
        "emails",
        "images",
        "newsletter",
        "reports",
        "webhooks",
      ]);
      expect(queues.items.find(({ name }) => name === "newsletter")?.pausedAt).not.toBeNull();

      const { body: jobs } = await first.get<{ items: { id: string }[] }>(
        "/v1/jobs?state=completed&queue=emails&limit=1",
      );
      const id = jobs.items[0]?.id ?? "";
      expect((await first.get(`/v1/jobs/${id}/result`)).body).toMatchObject({ simulated: true });
      const log = await first.get<{ items: { message: string }[] }>(`/v1/jobs/${id}/logs`);
      for (const { message } of log.body.items) expect(message).toMatch(/^simulated: /);

      const { body: reports } = await first.get<{ items: { id: string }[] }>(
        "/v1/jobs?queue=reports&limit=500",
      );
      await first.stop();
      const second = await startServer({ cwd, env });
      const again = await second.get<{ items: { id: string }[] }>("/v1/jobs?queue=reports&limit=500");
      expect(again.body.items).toEqual(reports.items);
    },
  );
});
