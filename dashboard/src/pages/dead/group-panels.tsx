import type { ReactNode } from "react";
import type { OperationView } from "../../api/types.js";
import { OperationNote } from "./operation-note.js";
import { TrialPanel } from "./trial-panel.js";
import type { Trial } from "./trials.js";

/** What is going on with the jobs of a group. */
export function GroupPanels({
  trial,
  operations,
}: {
  readonly trial: Trial | null;
  readonly operations: readonly OperationView[];
}): ReactNode {
  return (
    <>
      {trial !== null && <TrialPanel key={trial.number} trial={trial} />}
      {operations.map((operation) => (
        <OperationNote key={operation.id} started={operation} what={null} />
      ))}
    </>
  );
}
