import type { Shift, Zone } from "./zone.js";

/** Offsets reach from -12 to +14 hours, and once reached 16: no instant of a local time is further away. */
const FURTHEST_MS = 16 * 3_600_000;

/** The instants that have a local time: one, none in a gap, two in an overlap. */
export type Placement =
  | { readonly kind: "once"; readonly instant: number }
  | { readonly kind: "gap"; readonly shift: Shift }
  | { readonly kind: "twice"; readonly shift: Shift; readonly first: number; readonly second: number };

/** Where a local time lies. `local` is in milliseconds on a clock without changes. */
export function placeLocal(zone: Zone, local: number): Placement {
  const shift = zone.shiftBetween(local - FURTHEST_MS, local + FURTHEST_MS);
  if (shift === null) return { kind: "once", instant: local - zone.offsetAt(local) };
  const first = local - shift.before;
  const second = local - shift.after;
  if (first >= shift.at)
    return second < shift.at ? { kind: "gap", shift } : { kind: "once", instant: second };
  return second < shift.at ? { kind: "once", instant: first } : { kind: "twice", shift, first, second };
}

/** The local time that the clocks show at an instant. */
export function localAt(zone: Zone, instant: number): number {
  return instant + zone.offsetAt(instant);
}
