import type { ReactNode } from "react";
import { DeadBulkDialog } from "./dead-bulk-dialog.js";
import { groupQuery } from "./group-rows.js";
import { TrialDialog } from "./trial-dialog.js";
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
          void work.trials.start(group, jobs);
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
        work.setOperation(group, operation);
        close();
      }}
      onClose={close}
    />
  );
}
