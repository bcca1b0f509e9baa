import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { send } from "../../api/request.js";
import type { QueueView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { Dialog } from "../../ui/dialog.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { visible } from "../../ui/visible.js";

/** Pauses with a reason, and resumes. */
export function PauseControl({ queue }: { readonly queue: QueueView }): ReactNode {
  const { name, pausedAt } = queue;
  const { t } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const [asking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: ({ verb, reason }: { verb: "pause" | "resume"; reason?: string }) =>
      send<QueueView>(`/v1/queues/${encodeURIComponent(name)}/${verb}`, {
        method: "POST",
        body: reason === undefined || reason === "" ? {} : { reason },
      }),
    onSuccess: async (_queue, { verb }) => {
      setAsking(false);
      toast(t(verb === "pause" ? "queue.toast.paused" : "queue.toast.resumed", { queue: name }));
      await client.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => kind === "queue" || kind === "queues",
      });
    },
    onError: (error) => {
      toast(problemText(error), "bad");
    },
  });
  // Two buttons, of which one is there: what was pressed for one thing must not do the other when somebody else was
  // faster, and the dialog stays over either.
  return (
    <>
      {pausedAt === null ? (
        <AllowedButton
          key="pause"
          needs="operate"
          onPress={() => {
            setAsking(true);
          }}
        >
          {t("queue.pause")}
        </AllowedButton>
      ) : (
        <AllowedButton
          key="resume"
          needs="operate"
          tone="primary"
          onPress={() => {
            change.mutate({ verb: "resume" });
          }}
        >
          {t("queue.resume")}
        </AllowedButton>
      )}
      {asking && (
        <PauseDialog
          queue={queue}
          busy={change.isPending}
          onClose={() => {
            setAsking(false);
          }}
          onPause={(reason) => {
            change.mutate({ verb: "pause", reason });
          }}
        />
      )}
    </>
  );
}

function PauseDialog(props: {
  readonly queue: QueueView;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onPause: (reason: string) => void;
}): ReactNode {
  const { queue, busy, onClose, onPause } = props;
  const { name, pausedAt, pauseReason } = queue;
  const { t } = useTexts();
  const [reason, setReason] = useState("");
  return (
    <Dialog title={t("queue.pause.title", { queue: name })} onClose={onClose} dismissable={false}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          onPause(reason.trim());
        }}
      >
        {pausedAt === null ? (
          <p>{t("queue.pause.effect")}</p>
        ) : (
          <p className="notice warn" role="alert">
            {pauseReason === null
              ? t("queue.pause.already")
              : t("queue.pause.alreadyFor", { reason: visible(pauseReason) })}
          </p>
        )}
        <div className="field">
          <label htmlFor="pause-reason">{t("queue.pause.reason")}</label>
          <input
            id="pause-reason"
            className="input"
            autoFocus
            maxLength={500}
            value={reason}
            onChange={({ target }) => {
              setReason(target.value);
            }}
          />
        </div>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {t("form.cancel")}
          </button>
          <button type="submit" className="button primary" disabled={busy}>
            {t("queue.pause")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
