import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STEPS } from "../../src/store/sqlite/steps.js";
import { startProgram } from "../support/child-program.js";
import { FakeClock } from "../support/fake-clock.js";
import { tempDirectory } from "../support/temp-directory.js";
import { contentsOf, readOnly } from "./contents.js";
import { drain } from "./drain.js";
import { inPairs } from "./in-pairs.js";
import type { CrashInput, JournalEntry } from "./programs/crash-at.js";
import { distinctPoints, performUndisturbed, type Frame, type Point, type Reference } from "./reference.js";
import { OPERATIONS, openWorld, perform } from "./sequence.js";
import { checkOneJobPerSlot, checkSound } from "./sound-database.js";

let directory: string;
let undisturbed: string;
let reference: Reference;
const crashed = new Set<string>();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "konveier-undisturbed-"));
  undisturbed = join(directory, "konveier.db");
  reference = await performUndisturbed(undisturbed);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe("kill -9", () => {
  it("is compared with a run that nothing disturbs", () => {
    checkSound(undisturbed);
    // Every operation is there for what it changes; only a known key changes nothing.
    const idle = OPERATIONS.filter((_, index) => isUnchanged(reference.frames[index]!));
    expect(idle.map(({ verb }) => verb)).toEqual(["enqueue a known key"]);
  });

  it.each(OPERATIONS.map(({ verb }, index) => ({ verb, index })))(
    "at each step of: $verb",
    async ({ index }) => {
      const points = distinctPoints(reference.points).filter(({ operation }) => operation === index);
      expect(points.length).toBeGreaterThan(0);
      const remains = await inPairs(points, crash);
      for (const each of remains) await recover(each, reference.frames[index]!);
    },
    60_000,
  );

  it("has crashed at every step that there is", () => {
    expect([...crashed].sort()).toEqual([...STEPS].sort());
  });
});

/** What a crash left behind. */
interface Remains {
  readonly point: Point;
  readonly file: string;
}

/** Runs the sequence in a process that kills itself, and checks that it died where it should. */
async function crash(point: Point): Promise<Remains> {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  const input: CrashInput = { file, journal: join(directory, "journal"), crashAt: point.number };
  const program = startProgram(new URL("./programs/crash-at.ts", import.meta.url), input);
  expect(await program.exited, program.output).toEqual({ code: null, signal: "SIGKILL" });
  const acknowledged = Array.from({ length: point.operation }, (_, index) => ({ acknowledged: index }));
  const death = { diesIn: point.operation, step: point.step };
  expect(readJournal(input.journal)).toEqual([...acknowledged, death]);
  crashed.add(point.step);
  return { point, file };
}

async function recover({ point, file }: Remains, frame: Frame): Promise<void> {
  const operation = OPERATIONS[point.operation]!;
  const clock = new FakeClock(frame.now);
  const world = openWorld(file, clock, () => undefined, frame.memory);

  // Nothing less than the whole operation, nothing more than what was done: row by row.
  expect(contentsOf(file)).toEqual(point.step === "after-commit" ? frame.after : frame.before);
  checkSound(file);
  if (operation.repeatable) {
    // The client got no answer and says it again.
    await perform(world, operation);
    expect(withoutNotes(contentsOf(file))).toEqual(withoutNotes(frame.after));
  }
  const tokenBefore = lastToken(file);
  await world.store.close();

  const runs = await drain(file, clock);
  checkSound(file);
  checkOneJobPerSlot(file);
  for (const { token, payload } of runs) {
    expect(token).toBeGreaterThan(tokenBefore);
    expect(payload).toBeTypeOf("object");
  }
}

/** What is said twice is noticed twice by those who look on, and changes nothing else. */
function withoutNotes(contents: Frame["after"]): Frame["after"] {
  const isNote = (row: unknown): boolean => (row as { name: string }).name === "job_note";
  return { ...contents, sequences: contents["sequences"]!.filter((row) => !isNote(row)) };
}

function readJournal(file: string): JournalEntry[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalEntry);
}

function lastToken(file: string): number {
  const select = "SELECT value FROM sequences WHERE name = 'token'";
  return readOnly(file, (db) => db.prepare<[], number>(select).pluck().get()!);
}

function isUnchanged({ before, after }: Frame): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
