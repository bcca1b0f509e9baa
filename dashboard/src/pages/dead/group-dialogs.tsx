import type { ReactNode } from "react";
import { DeadBulkDialog } from "./dead-bulk-dialog.js";
import { showOperation } from "./dead-operations.js";
import { groupQuery } from "./group-rows.js";
import { TrialDialog } from "./trial-dialog.js";
import { startTrial } from "./trials.js";
import type { GroupWork } from "./use-group-work.js";

/** What asks before something is done with the jobs of a group. */
export function GroupDialogs({ work }: { readonly work: GroupWork }): ReactNode {
  const { asked } = work;
  if (asked === null) return null;
  const { action, group } = asked;
  const close = (): void => {
    work.ask(null);
  };
  if (action === "trial") {
    return (
      <TrialDialog
        group={group}
        onStart={(jobs) => {
          close();
          void startTrial(group, jobs);
        }}
        onClose={close}
      />
    );
  }
  return (
    <DeadBulkDialog
      action={action}
      q={groupQuery(group)}
      dead={group}
      onStarted={(operation) => {
        showOperation(operation);
        close();
      }}
      onClose={close}
    />
  );
}
