import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { konveier } from "../support/command.js";
import { startServer } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

// Each test starts processes, which takes its time where many tests run at once.
vi.setConfig({ testTimeout: 120_000 });

it("konveier doctor looks at a running server, and ends with 1 when there is a fault", async () => {
  const cwd = tempDirectory();
  const server = await startServer({ cwd });
  const env = { API_TOKEN: "a-long-token-of-the-operator", PORT: new URL(server.url).port };
  const well = await konveier(["doctor"], { cwd, env });
  expect(well, well.stdout).toMatchObject({ code: 0, stderr: "" });
  expect(well.stdout).toMatch(/^ok +server +http:\/\/127\.0\.0\.1:\d+ answers and is ready$/m);
  expect(well.stdout).not.toContain(env.API_TOKEN);

  chmodSync(join(cwd, "data", "konveier.db"), 0o640);
  const ill = await konveier(["doctor", "--json"], { cwd, env });
  const { findings } = JSON.parse(ill.stdout) as { findings: { check: string; verdict: string }[] };
  expect(ill.code).toBe(1);
  expect(findings.filter(({ verdict }) => verdict === "fault").map(({ check }) => check)).toEqual([
    "permissions",
  ]);
});
