import { offsetReader, type OffsetReader } from "./zone-offset.js";

/** A change of a zone's offset. Clocks go forward when `after` is the larger one. Offsets are ms east. */
export interface Shift {
  /** The first instant with the new offset. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** No zone changes its offset twice within one. */
const CELL_MS = 7 * 86_400_000;
/** Five years. A rule that is asked for again needs one or two. */
const MOST_CELLS = 256;

interface Cell {
  /** At the cell's first instant. */
  readonly offset: number;
  readonly shift: Shift | null;
}

/** Names of the IANA database. Not offsets: `+02:00` has no daylight saving, and seldom means what was wanted. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const SHOWN_LENGTH = 64;

/** Not the name of a time zone. */
export class UnknownZoneError extends RangeError {
  override readonly name = "UnknownZoneError";

  constructor(zoneName: string) {
    const shown = JSON.stringify(zoneName.slice(0, SHOWN_LENGTH));
    super(`${shown} is no time zone; give a name of the IANA database, such as UTC or Europe/Paris`);
  }
}

/** A time zone of the IANA database, as `Intl` knows it. */
export class Zone {
  readonly #read: OffsetReader;
  readonly #cells = new Map<number, Cell>();

  constructor(
    /** As `Intl` spells it: `utc` is `UTC`. */
    readonly name: string,
  ) {
    this.#read = offsetReader(name);
  }

  /** In milliseconds east of UTC: local time is the instant plus this. */
  offsetAt(instant: number): number {
    const cell = this.#cell(Math.floor(instant / CELL_MS));
    return cell.shift !== null && instant >= cell.shift.at ? cell.shift.after : cell.offset;
  }

  /** The first change after `from` and not after `to`, two instants that are less than a week apart. */
  shiftBetween(from: number, to: number): Shift | null {
    const firstCell = Math.floor(from / CELL_MS);
    const lastCell = Math.floor(to / CELL_MS);
    for (let index = firstCell; index <= lastCell; index += 1) {
      const { shift } = this.#cell(index);
      if (shift !== null && shift.at > from && shift.at <= to) return shift;
    }
    return null;
  }

  #cell(index: number): Cell {
    const known = this.#cells.get(index);
    if (known !== undefined) return known;
    if (this.#cells.size >= MOST_CELLS) {
      for (const oldest of this.#cells.keys()) {
        this.#cells.delete(oldest);
        break;
      }
    }
    const start = index * CELL_MS;
    const offset = this.#read(start);
    const cell = { offset, shift: this.#shiftWithin(start, offset) };
    this.#cells.set(index, cell);
    return cell;
  }

  #shiftWithin(start: number, before: number): Shift | null {
    // Up to and with the next cell's first instant, or a change exactly there would be nobody's.
    const after = this.#read(start + CELL_MS);
    if (after === before) return null;
    let low = start / 1_000;
    let high = low + CELL_MS / 1_000;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#read(middle * 1_000) === before) low = middle;
      else high = middle;
    }
    return { at: high * 1_000, before, after };
  }
}

/** Only names that exist get in, in lower case: a few hundred. */
const byName = new Map<string, Zone>();

/**
 * The zone of a name in any case; the same object for every spelling.
 *
 * @throws UnknownZoneError
 */
export function zone(name: string): Zone {
  if (!NAME.test(name)) throw new UnknownZoneError(name);
  const key = name.toLowerCase();
  const known = byName.get(key);
  if (known !== undefined) return known;
  const canonical = canonicalName(name);
  const found = byName.get(canonical.toLowerCase()) ?? new Zone(canonical);
  byName.set(canonical.toLowerCase(), found).set(key, found);
  return found;
}

function canonicalName(name: string): string {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new UnknownZoneError(name);
  }
}
