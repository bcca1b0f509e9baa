import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../support/cli.js";
import { startHttpServer } from "../support/http-server.js";
import { tempDirectory } from "../support/temp-directory.js";

const HEAVY = ["better-sqlite3", "pg", "fastify", "pino"];

test("help and commands over HTTP load neither SQLite nor the server", async () => {
  const server = await startHttpServer();
  const directory = tempDirectory();
  const loadedBy = async (name: string, args: readonly string[], env: Record<string, string> = {}) => {
    const LOADED = join(directory, name);
    const program = new URL("programs/loaded-packages.ts", import.meta.url);
    await runCli(server, args, { program, env: { LOADED, ...env } });
    return JSON.parse(readFileSync(LOADED, "utf8")) as string[];
  };
  const [help, list, tokens, serve] = await Promise.all([
    loadedBy("help", ["--help"]),
    loadedBy("list", ["jobs", "list"]),
    loadedBy("tokens", ["tokens", "list", "--database", `sqlite:${server.file}`]),
    // Ends at once, after it has loaded what it needs.
    loadedBy("serve", ["serve"], { PORT: "none" }),
  ]);
  expect(help).toContain("commander");
  for (const heavy of HEAVY) {
    expect(help).not.toContain(heavy);
    expect(list).not.toContain(heavy);
  }
  // The same look finds them where they are.
  expect(tokens).toContain("better-sqlite3");
  // Of the drivers it loads the one that it opens a database with, and this one never gets there.
  expect(serve).toEqual(expect.arrayContaining(["fastify", "pino"]));
});
