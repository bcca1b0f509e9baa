import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { startProgram, type Exit } from "../support/child-program.js";
import { tempDirectory } from "../support/temp-directory.js";
import { contentsOf } from "./contents.js";
import { inPairs } from "./in-pairs.js";
import type { CrashOpeningInput } from "./programs/crash-opening.js";
import { checkSound } from "./sound-database.js";

/** A migration is one transaction, so that one in so many of its statements stands for all. */
const ONE_IN = process.env["KONVEIER_LONG_TESTS"] === "1" ? 1 : 12;

it("a crash while the file is made and migrated leaves one that opens", async () => {
  const whole = join(tempDirectory(), "konveier.db");
  const { calls, exit } = await open(whole, 0);
  expect(exit).toEqual({ code: 0, signal: null });
  expect(calls.filter((call) => call.includes("CREATE TABLE")).length).toBeGreaterThan(10);

  const points = [...calls.keys()].filter(
    (index) => index % ONE_IN === 0 || !calls[index]!.includes("CREATE"),
  );
  const files = await inPairs(points, async (index) => {
    const file = join(tempDirectory(), "konveier.db");
    const crashed = await open(file, index + 1);
    expect(crashed.exit).toEqual({ code: null, signal: "SIGKILL" });
    expect(crashed.calls).toEqual(calls.slice(0, index + 1));
    return file;
  });
  for (const file of files) {
    const konveier = await Konveier.open(`sqlite:${file}`);
    expect(contentsOf(file)).toEqual(contentsOf(whole));
    await konveier.enqueue("mail.send", {});
    await konveier.close();
    checkSound(file);
  }
}, 600_000);

async function open(file: string, crashAfter: number): Promise<{ calls: string[]; exit: Exit }> {
  const input: CrashOpeningInput = { file, journal: `${file}.journal`, crashAfter };
  const program = startProgram(new URL("./programs/crash-opening.ts", import.meta.url), input);
  const exit = await program.exited;
  const lines = readFileSync(input.journal, "utf8").trim().split("\n");
  return { calls: lines.map((line) => JSON.parse(line) as string), exit };
}
