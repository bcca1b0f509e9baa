import { useState } from "react";
import type { DeadGroupView, OperationView } from "../../api/types.js";
import { groupKey } from "./group-rows.js";
import { useTrials, type Trials } from "./use-trials.js";

export type GroupAction = "retry" | "delete" | "trial";

/** An action that waits for its confirmation. */
export interface Asked {
  readonly action: GroupAction;
  readonly group: DeadGroupView;
}

/** What the reader has begun with groups. It goes on when they are filtered or sorted in another way. */
export interface GroupWork {
  readonly trials: Trials;
  readonly operationOf: (group: DeadGroupView) => OperationView | null;
  readonly setOperation: (group: DeadGroupView, operation: OperationView | null) => void;
  readonly isGoingOn: (group: DeadGroupView) => boolean;
  readonly asked: Asked | null;
  readonly ask: (asked: Asked | null) => void;
}

export function useGroupWork(): GroupWork {
  const trials = useTrials();
  const [operations, setOperations] = useState<ReadonlyMap<string, OperationView | null>>(new Map());
  const [asked, ask] = useState<Asked | null>(null);
  const operationOf = (group: DeadGroupView): OperationView | null => operations.get(groupKey(group)) ?? null;
  return {
    trials,
    asked,
    ask,
    operationOf,
    setOperation: (group, operation) => {
      setOperations((now) => new Map(now).set(groupKey(group), operation));
    },
    isGoingOn: (group) => trials.of(group) !== null || operationOf(group) !== null,
  };
}
