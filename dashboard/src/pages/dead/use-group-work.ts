import { useState } from "react";
import type { DeadGroupView, OperationView } from "../../api/types.js";
import { isSame } from "./covers.js";
import { useDeadOperations, useIsBeingRetried } from "./dead-operations.js";
import type { DeadFilter } from "./dead-queries.js";
import { groupKey, groupQuery } from "./group-rows.js";
import { useKept } from "./kept.js";
import { trials, type Trial } from "./trials.js";

export type GroupAction = "retry" | "delete" | "trial";

/** An action that waits for its confirmation. */
export interface Asked {
  readonly action: GroupAction;
  readonly group: DeadGroupView;
}

/** What is going on with groups. It goes on when they are filtered or sorted in another way, or not shown at all. */
export interface GroupWork {
  readonly operations: readonly OperationView[];
  readonly trialOf: (group: DeadGroupView) => Trial | null;
  readonly operationsOf: (group: DeadGroupView) => readonly OperationView[];
  readonly isBeingRetried: (group: DeadGroupView) => boolean;
  /** The groups, and those on trial of which no job is left. */
  readonly withTried: (groups: readonly DeadGroupView[], filter: DeadFilter) => readonly DeadGroupView[];
  readonly asked: Asked | null;
  readonly ask: (asked: Asked | null) => void;
}

export function useGroupWork(): GroupWork {
  const tried = useKept(trials);
  const operations = useDeadOperations();
  const isBeingRetried = useIsBeingRetried();
  const [asked, ask] = useState<Asked | null>(null);
  return {
    operations,
    asked,
    ask,
    trialOf: (group) => tried.get(groupKey(group)) ?? null,
    operationsOf: (group) => operations.filter(({ q }) => isSame(q, groupQuery(group))),
    isBeingRetried: (group) => isBeingRetried(groupQuery(group)),
    withTried: (groups, { queue, name }) => {
      const present = new Set(groups.map(groupKey));
      const missing = [...tried.values()]
        .map(({ group }) => ({ ...group, count: 0 }))
        .filter(
          (group) =>
            !present.has(groupKey(group)) &&
            (queue === "" || group.queue === queue) &&
            (name === "" || group.name === name),
        );
      return [...groups, ...missing];
    },
  };
}
