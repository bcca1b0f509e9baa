import { defineConfig } from "vitest/config";

/** Tests of the HTTP API that run on PostgreSQL too: those in which the store has a say. */
const ON_BOTH_STORES = [
  "access",
  "bulk",
  "claims",
  "dead",
  "events",
  "filter",
  "flows",
  "jobs",
  "limits",
  "live",
  "schedules",
  "stats",
  "steps",
  "suggest",
  "unique",
  "wait",
].map((name) => `test/e2e/http-${name}.test.ts`);

export default defineConfig({
  test: {
    globalSetup: ["test/support/translate-programs.ts", "test/support/start-postgres.ts"],
    maxWorkers: 2,
    reporters: ["default"],
    // No measure of speed, only an end for what hangs: a test that starts several servers takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    environment: "node",
    // Tests load a native add-on and start child processes: worker threads would share too much.
    pool: "forks",
    projects: [
      {
        extends: true,
        test: {
          name: "konveier",
          include: ["src/**/*.test.ts", "dashboard/src/**/*.test.ts", "test/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "PostgreSQL",
          include: [...ON_BOTH_STORES, "test/e2e/metrics.test.ts"],
          env: { TEST_STORE: "postgres" },
        },
      },
    ],
  },
});
