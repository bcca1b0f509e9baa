import { expect, test } from "vitest";
import { runProgram } from "../support/programs.js";

test("the client and the remote worker load no native add-on", async () => {
  const program = (name: string) => runProgram(new URL(name, import.meta.url));
  const client = await program("./programs/only-imports.ts");
  expect(client).toMatchObject({ code: 0, stdout: "[]" });
  // The same look finds SQLite where it is loaded.
  const library = await program("./programs/opens-a-store.ts");
  expect(library.stdout).toContain("better_sqlite3.node");
});
