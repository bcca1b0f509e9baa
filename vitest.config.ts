import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["src/**/*.test.ts", "dashboard/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/translate-programs.ts", "test/support/start-postgres.ts"],
    // Tests load a native add-on and start child processes: worker threads would share too much.
    pool: "forks",
    maxWorkers: 2,
    // No measure of speed, only an end for what hangs: a test that starts several servers takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ["default"],
  },
});
