import { filterValue } from "../../shell/routes.js";
import type { DeadGroupView } from "../../api/types.js";

export function groupKey({ fingerprint, queue, name }: DeadGroupView): string {
  return JSON.stringify([fingerprint, queue, name]);
}

/** The jobs of the group, in the filter language. */
export function groupQuery({ fingerprint, queue, name }: DeadGroupView): string {
  return [
    "state:dead",
    `fingerprint:${filterValue(fingerprint)}`,
    `queue:${filterValue(queue)}`,
    `name:${filterValue(name)}`,
  ].join(" ");
}

export interface Arranged {
  /** In the order that the reader knows, as they are now. A group without a job left has the count 0. */
  readonly rows: readonly DeadGroupView[];
  /** How many groups there are beside these. */
  readonly fresh: number;
}

/**
 * Puts what is so now where the reader saw it: no row moves, comes or goes under the pointer.
 *
 * @param complete whether `now` are all groups, so that one that is missing there is gone
 */
export function arrange(
  known: readonly DeadGroupView[],
  now: readonly DeadGroupView[],
  complete: boolean,
): Arranged {
  const current = new Map(now.map((group) => [groupKey(group), group]));
  const rows = known.map((group) => {
    const key = groupKey(group);
    const present = current.get(key);
    current.delete(key);
    return present ?? (complete ? { ...group, count: 0 } : group);
  });
  return { rows, fresh: current.size };
}
