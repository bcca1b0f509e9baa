import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { STEPS, type Step, type StepHook } from "../../src/store/sqlite/steps.js";
import { FakeClock } from "../support/fake-clock.js";
import { tempDirectory } from "../support/temp-directory.js";
import { contentsOf } from "./contents.js";
import { performUndisturbed, type Point, type Reference } from "./reference.js";
import { OPERATIONS, openWorld, perform, type World } from "./sequence.js";
import { checkSound } from "./sound-database.js";

/** Between a commit and its answer there is no statement that could fail. */
const MAY_FAIL: readonly Step[] = STEPS.filter((step) => step !== "after-commit");

/** Errors as SQLite gives them, each with what the caller is told. */
const FAULTS = [
  { code: "SQLITE_FULL", told: "store_full" },
  { code: "SQLITE_IOERR_WRITE", told: "store_io" },
] as const;

/** Fails the calls of the step hook that it is armed for. */
class Trap {
  readonly sprung = new Set<Step>();
  #countdown = 0;
  #code = "";

  arm(calls: number, code: string): void {
    this.#countdown = calls;
    this.#code = code;
  }

  readonly hook: StepHook = (step) => {
    this.#countdown -= 1;
    if (this.#countdown !== 0) return;
    this.sprung.add(step);
    throw new Database.SqliteError("injected by a test", this.#code);
  };
}

it.each(FAULTS)("$code at any statement changes nothing, and later work goes on", async ({ code, told }) => {
  const directory = tempDirectory();
  const reference = await performUndisturbed(join(directory, "undisturbed.db"));
  const file = join(directory, "konveier.db");
  const trap = new Trap();
  let world = openWorld(file, new FakeClock(), trap.hook);

  for (const [index, operation] of OPERATIONS.entries()) {
    world.clock.block(operation.afterMs ?? 0);
    const { before, after } = reference.frames[index]!;
    for (const calls of operation.shared ? [] : failingCalls(reference, index)) {
      trap.arm(calls, code);
      await expect(perform(world, operation), operation.verb).rejects.toMatchObject({ code: told });
      expect(contentsOf(file), `${operation.verb}, call ${calls}`).toEqual(before);
    }
    world = await perform(world, operation);
    expect(contentsOf(file), operation.verb).toEqual(after);
  }

  expect([...trap.sprung].sort()).toEqual([...MAY_FAIL].sort());
  await world.store.close();
  checkSound(file);
});

it("an error in a shared transaction harms none of its writes", async () => {
  const directory = tempDirectory();
  const reference = await performUndisturbed(join(directory, "undisturbed.db"));
  const shared = OPERATIONS.findIndex((operation) => operation.shared);
  const { after } = reference.frames[shared]!;
  const calls = failingCalls(reference, shared);
  expect(calls.length).toBeGreaterThan(10);

  for (const call of calls) {
    const file = join(directory, `${call}.db`);
    const trap = new Trap();
    const world = await performUpTo(openWorld(file, new FakeClock(), trap.hook), shared);
    trap.arm(call, "SQLITE_FULL");
    await perform(world, OPERATIONS[shared]!);
    expect(trap.sprung.size).toBe(1);
    expect(contentsOf(file), `call ${call}`).toEqual(after);
    await world.store.close();
  }
});

/** Which calls of the step hook in an operation may fail, counted from 1. */
function failingCalls({ points }: Reference, operation: number): number[] {
  const own = points.filter((point: Point) => point.operation === operation);
  return own.flatMap(({ step }, index) => (MAY_FAIL.includes(step) ? [index + 1] : []));
}

async function performUpTo(world: World, end: number): Promise<World> {
  let present = world;
  for (const operation of OPERATIONS.slice(0, end)) {
    present.clock.block(operation.afterMs ?? 0);
    present = await perform(present, operation);
  }
  return present;
}
