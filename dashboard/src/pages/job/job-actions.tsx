import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { asProblem } from "../../api/problem.js";
import { send } from "../../api/request.js";
import type { JobDetailView } from "../../api/types.js";
import type { Values } from "../../i18n/catalogue.js";
import { useTexts } from "../../i18n/text.js";
import { useChangedState } from "../../ui/changed-state.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { Confirm } from "../../ui/confirm.js";
import type { IconName } from "../../ui/icon.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { actionsOf, asksFirst, type JobAction } from "./actions.js";
import { jobAddress, jobKey } from "./job-queries.js";

const ICONS: Readonly<Record<JobAction, IconName>> = {
  retry: "retry",
  "run-now": "skip",
  cancel: "close",
  delete: "trash",
};

/** What can be done to the job as it is now. */
export function JobActions({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  const act = useJobAction(job);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [busy, setBusy] = useState(false);
  const press = async (action: JobAction): Promise<void> => {
    if (asksFirst(action)) {
      setAsked({ action, state: job.state });
      return;
    }
    setBusy(true);
    await act(action).catch((error: unknown) => {
      toast(problemText(error), "bad");
    });
    setBusy(false);
  };
  return (
    <div className="toolbar">
      {actionsOf(job.state).map((action) => (
        <AllowedButton
          key={action}
          needs="operate"
          icon={ICONS[action]}
          tone={action === "retry" || action === "run-now" ? "primary" : ""}
          hint={hintOf(t, action, job.state)}
          busy={busy}
          onPress={() => void press(action)}
        >
          {t(`action.${action}`)}
        </AllowedButton>
      ))}
      {asked !== null && (
        <AskFirst
          job={job}
          asked={asked}
          act={act}
          onClose={() => {
            setAsked(null);
          }}
        />
      )}
    </div>
  );
}

/** What is asked about first, and the job's state when it was. */
interface Asked {
  readonly action: "cancel" | "delete";
  readonly state: string;
}

function AskFirst({
  job,
  asked: { action, state },
  act,
  onClose,
}: {
  readonly job: JobDetailView;
  readonly asked: Asked;
  readonly act: (action: JobAction) => Promise<void>;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <Confirm
      title={t(`action.${action}.title`, { id: job.id })}
      action={t(`action.${action}.do`)}
      danger
      {...(action === "delete" &&
        job.state === "running" && {
          typed: { text: job.id, label: t("confirm.type", { text: job.id }) },
        })}
      warning={useChangedState(state, job.state)}
      run={() => act(action)}
      onDone={() => {
        onClose();
        if (action !== "delete") return;
        navigate("/jobs");
        client.removeQueries({ queryKey: jobKey(job.id) });
      }}
      onClose={onClose}
    >
      <p>{hintOf(t, action, job.state)}</p>
    </Confirm>
  );
}

type Translate = ReturnType<typeof useTexts>["t"];

function hintOf(t: Translate, action: JobAction, state: string): string {
  return asksFirst(action) && state === "running"
    ? t(`action.${action}.hintRunning`)
    : t(`action.${action}.hint`);
}

function useJobAction(job: JobDetailView): (action: JobAction) => Promise<void> {
  const { t } = useTexts();
  const client = useQueryClient();
  return async (action) => {
    const done = t(`action.${action}.done`, { id: job.id } satisfies Record<
      Values<"action.retry.done">,
      string
    >);
    try {
      await request(action, job);
    } catch (error) {
      // Somebody else, or the job itself, was faster: show what is so now.
      if (asProblem(error).status === 409) await client.invalidateQueries({ queryKey: jobKey(job.id) });
      throw error;
    }
    toast(done);
    if (action !== "delete") await client.invalidateQueries({ queryKey: jobKey(job.id) });
  };
}

function request(action: JobAction, { id, state }: JobDetailView): Promise<unknown> {
  if (action !== "delete") return send(`${jobAddress(id)}/${action}`, { method: "POST" });
  const force = state === "running" ? "?force=true" : "";
  return send(jobAddress(id) + force, { method: "DELETE" });
}
