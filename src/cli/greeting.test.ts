import { describe, expect, it } from "vitest";
import { greeting, tokenFile } from "./greeting.js";

const config = {
  database: { kind: "sqlite", file: "./data/konveier.db" } as const,
  worker: { concurrency: 20, queues: ["default", "emails"], leaseMs: 30_000 },
  seedDemo: false,
};

describe("greeting", () => {
  it("begins with the address, and ends with what to try", () => {
    const text = greeting("http://127.0.0.1:8085", "1.2.3", config, { kind: "file", file: "data/api-token" });
    expect(text.split("\n")).toEqual([
      "Konveier 1.2.3 is ready at http://127.0.0.1:8085",
      "",
      "  Database   ./data/konveier.db",
      "  API token  in data/api-token",
      "  Worker     20 jobs at a time from default, emails",
      "",
      "  Try it:",
      '  curl -H "Authorization: Bearer $(cat data/api-token)" http://127.0.0.1:8085/v1/queues',
      "",
      "  Ctrl-C stops the server.",
      "",
    ]);
  });

  it("never shows a token", () => {
    const text = greeting("http://h", "1", { ...config, seedDemo: true }, { kind: "variable" });
    expect(text).toContain("API token  the value of API_TOKEN");
    expect(text).toContain('"Authorization: Bearer $API_TOKEN"');
    expect(text).toContain("simulated: nothing is sent");
  });

  it("gives a command that a shell understands", () => {
    const text = greeting("http://h", "1", config, { kind: "file", file: "it's here/api-token" });
    expect(text).toContain(`$(cat 'it'\\''s here/api-token')`);
  });
});

describe("tokenFile", () => {
  it("lies beside the database", () => {
    const beside = (file: string) => tokenFile({ kind: "sqlite", file });
    expect(beside("/var/lib/konveier/jobs.db")).toBe("/var/lib/konveier/api-token");
    expect(beside("jobs.db")).toBe("api-token");
    expect(beside(":memory:")).toBe(null);
  });

  it("lies in the data directory when the database is elsewhere", () => {
    expect(tokenFile({ kind: "postgres", url: "postgres://u:p@db.internal/jobs" })).toBe("data/api-token");
  });
});
