import type { Step } from "../../src/store/sqlite/steps.js";
import { FakeClock } from "../support/fake-clock.js";
import { contentsOf } from "./contents.js";
import { OPERATIONS, openWorld, perform, type Memory } from "./sequence.js";

/** A call of the step hook. */
export interface Point {
  /** Counted from 1 within the operation. */
  readonly number: number;
  readonly step: Step;
  /** Index of the operation. */
  readonly operation: number;
}

/** The world around one operation, when nothing goes wrong. */
export interface Frame {
  /** Wall time of the operation. */
  readonly now: number;
  readonly memory: Memory;
  readonly before: Record<string, unknown[]>;
  readonly after: Record<string, unknown[]>;
}

export interface Reference {
  readonly points: readonly Point[];
  /** In the order of the operations. */
  readonly frames: readonly Frame[];
}

/**
 * Performs the whole sequence undisturbed. Every disturbed run is compared with what this one saw.
 *
 * @param atRest called before each operation, while nothing touches the file
 */
export async function performUndisturbed(
  file: string,
  atRest: (operation: number) => void = () => undefined,
): Promise<Reference> {
  const points: Point[] = [];
  const frames: Frame[] = [];
  const clock = new FakeClock();
  let number = 0;
  let world = openWorld(file, clock, (step) => {
    number += 1;
    points.push({ number, step, operation: frames.length });
  });
  for (const operation of OPERATIONS) {
    clock.block(operation.afterMs ?? 0);
    const { memory } = world;
    const before = contentsOf(file);
    atRest(frames.length);
    number = 0;
    world = await perform(world, operation);
    frames.push({ now: clock.now(), memory, before, after: contentsOf(file) });
  }
  await world.store.close();
  return { points, frames };
}

/** Where to crash: a step that an operation reaches often counts with its first time and its last. */
export function distinctPoints(points: readonly Point[]): Point[] {
  const same = (a: Point, b: Point) => a.operation === b.operation && a.step === b.step;
  return points.filter(
    (point) =>
      points.find((other) => same(point, other)) === point ||
      points.findLast((other) => same(point, other)) === point,
  );
}
