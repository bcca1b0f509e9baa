import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serialize } from "node:v8";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STEPS, type Step } from "../../src/store/sqlite/steps.js";
import { startProgram } from "../support/child-program.js";
import { FakeClock } from "../support/fake-clock.js";
import { tempDirectory } from "../support/temp-directory.js";
import { contentsOf, readOnly } from "./contents.js";
import { drain } from "./drain.js";
import { inPairs } from "./in-pairs.js";
import type { CrashInput } from "./programs/crash-at.js";
import { distinctPoints, performUndisturbed, type Frame, type Point, type Reference } from "./reference.js";
import { OPERATIONS, openWorld, perform } from "./sequence.js";
import { checkOneJobPerSlot, checkSound } from "./sound-database.js";

/** Kills a process at every step of every operation, not only at some. */
const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";

let directory: string;
let undisturbed: string;
let reference: Reference;
const recovered = new Set<Step>();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "konveier-undisturbed-"));
  undisturbed = join(directory, "konveier.db");
  reference = await performUndisturbed(undisturbed, (operation) => {
    copyDatabase(undisturbed, atRestBefore(operation));
  });
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe("a crash", () => {
  it("is compared with a run that nothing disturbs", () => {
    checkSound(undisturbed);
    // Every operation is there for what it changes; only a known key changes nothing.
    const idle = OPERATIONS.filter((_, index) => isUnchanged(reference.frames[index]!));
    expect(idle.map(({ verb }) => verb)).toEqual(["enqueue a known key"]);
  });

  // What a process that is killed leaves to others is what it has written until then: no more is needed of it.
  it.each(OPERATIONS.map(({ verb }, index) => ({ verb, index })))(
    "at each step of: $verb",
    async ({ index }) => {
      const points = distinctPoints(reference.points).filter(({ operation }) => operation === index);
      expect(points.length).toBeGreaterThan(0);
      const remains = LONG ? await inPairs(points, kill) : await copyAt(index, points);
      for (const each of remains) await recover(each, reference.frames[index]!);
    },
    60_000,
  );

  it("has come at every step that there is", () => {
    expect([...recovered].sort()).toEqual([...STEPS].sort());
  });

  it("by kill -9 leaves the same, at each step once", async () => {
    const points = STEPS.map((step) => reference.points.find((point) => point.step === step)!);
    for (const each of await inPairs(points, kill)) {
      await recover(each, reference.frames[each.point.operation]!);
    }
  }, 120_000);
});

/** What a crash left behind. */
interface Remains {
  readonly point: Point;
  readonly file: string;
}

/** Repeats one operation in a process that kills itself, and checks that it died where it should. */
async function kill(point: Point): Promise<Remains> {
  const { now, memory } = reference.frames[point.operation]!;
  const { directory, file } = beginAgain(point.operation);
  const input: CrashInput = {
    file,
    operation: point.operation,
    now,
    memory: join(directory, "memory"),
    crashAt: point.number,
    note: join(directory, "note"),
  };
  writeFileSync(input.memory, serialize(memory));
  const program = startProgram(new URL("./programs/crash-at.ts", import.meta.url), input);
  expect(await program.exited, program.output).toEqual({ code: null, signal: "SIGKILL" });
  expect(readFileSync(input.note, "utf8")).toBe(point.step);
  return { point, file };
}

/** Repeats one operation, and copies at each of the points what a crash would leave there. */
async function copyAt(operation: number, points: readonly Point[]): Promise<Remains[]> {
  const { now, memory } = reference.frames[operation]!;
  const { directory, file } = beginAgain(operation);
  const remains: Remains[] = [];
  let steps = 0;
  const hook = (step: Step): void => {
    steps += 1;
    const point = points.find(({ number }) => number === steps);
    if (point === undefined) return;
    expect(step).toBe(point.step);
    remains.push({ point, file: join(directory, `at-${steps}.db`) });
    copyDatabase(file, remains.at(-1)!.file);
  };
  const world = openWorld(file, new FakeClock(now), hook, memory);
  await perform(world, OPERATIONS[operation]!);
  await world.store.close();
  expect(remains.map(({ point }) => point)).toEqual(points);
  return remains;
}

/** A database as the operation finds it. */
function beginAgain(operation: number): { directory: string; file: string } {
  const directory = tempDirectory();
  const file = join(directory, "konveier.db");
  copyDatabase(atRestBefore(operation), file);
  return { directory, file };
}

/** Where the database is kept as the operation finds it. */
function atRestBefore(operation: number): string {
  return join(directory, `before-${operation}.db`);
}

/** With the log of what is committed and not yet in the file itself, as a crash would leave them. */
function copyDatabase(from: string, to: string): void {
  for (const part of ["", "-wal"]) if (existsSync(from + part)) copyFileSync(from + part, to + part);
}

async function recover({ point, file }: Remains, frame: Frame): Promise<void> {
  recovered.add(point.step);
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

function lastToken(file: string): number {
  const select = "SELECT value FROM sequences WHERE name = 'token'";
  return readOnly(file, (db) => db.prepare<[], number>(select).pluck().get()!);
}

function isUnchanged({ before, after }: Frame): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
