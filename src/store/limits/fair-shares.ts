/** Jobs of one queue with the same keys. */
export interface Group {
  /** See `keysText`; the empty text for the jobs without keys. */
  readonly keys: string;
  /** The allowances that each of its jobs uses one of. */
  readonly draws: readonly string[];
}

/** What a group may take. */
export interface Share<Of extends Group = Group> {
  readonly group: Of;
  readonly n: number;
}

export interface Deal<Of extends Group = Group> {
  readonly shares: readonly Share<Of>[];
  /** Who was served last; `null` when nobody was. */
  readonly last: Of | null;
  /** The groups in the order in which they are served next. */
  readonly line: readonly Of[];
}

/**
 * Deals room for jobs to groups, one to each in turn, so that a group with a long backlog takes no more than its part.
 *
 * @param left what is left of each allowance; it is used up here
 */
export function dealShares<Of extends Group>(
  line: readonly Of[],
  room: number,
  left: Map<string, number>,
): Deal<Of> {
  const shares = new Map<Of, number>();
  const turns = [...line];
  const without: Of[] = [];
  let last: Of | null = null;
  let place = 0;
  for (let free = room; free > 0;) {
    const group = turns[place];
    if (group === undefined) break;
    place += 1;
    if (!mayTake(group, left)) {
      without.push(group);
      continue;
    }
    for (const name of group.draws) left.set(name, (left.get(name) ?? 0) - 1);
    shares.set(group, (shares.get(group) ?? 0) + 1);
    turns.push(group);
    last = group;
    free -= 1;
  }
  const next = [...turns.slice(place), ...without];
  return { shares: [...shares].map(([group, n]) => ({ group, n })), last, line: next };
}

/** Whether something is left of every allowance that the group needs. */
export function mayTake({ draws }: Group, left: ReadonlyMap<string, number>): boolean {
  return draws.every((name) => (left.get(name) ?? 0) >= 1);
}
