import type { ReactNode } from "react";
import type { DeadGroupView } from "../../api/types.js";
import { OperationNote } from "./operation-note.js";
import { TrialPanel } from "./trial-panel.js";
import type { GroupWork } from "./use-group-work.js";

/** What is going on with the jobs of a group. */
export function GroupPanels({
  group,
  work,
}: {
  readonly group: DeadGroupView;
  readonly work: GroupWork;
}): ReactNode {
  const trial = work.trials.of(group);
  const operation = work.operationOf(group);
  return (
    <>
      {trial !== null && (
        <TrialPanel
          trial={trial}
          group={group}
          onClose={() => {
            work.trials.close(group);
          }}
        />
      )}
      {operation !== null && (
        <OperationNote
          key={operation.id}
          started={operation}
          onClose={() => {
            work.setOperation(group, null);
          }}
        />
      )}
    </>
  );
}
