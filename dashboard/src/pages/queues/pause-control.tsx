import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { send } from "../../api/request.js";
import type { QueueView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { Dialog } from "../../ui/dialog.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";

/** Pauses with a reason, and resumes. */
export function PauseControl({ queue: { name, pausedAt } }: { readonly queue: QueueView }): ReactNode {
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
  if (pausedAt !== null) {
    return (
      <AllowedButton
        needs="operate"
        tone="primary"
        onPress={() => {
          change.mutate({ verb: "resume" });
        }}
      >
        {t("queue.resume")}
      </AllowedButton>
    );
  }
  return (
    <>
      <AllowedButton
        needs="operate"
        onPress={() => {
          setAsking(true);
        }}
      >
        {t("queue.pause")}
      </AllowedButton>
      {asking && (
        <PauseDialog
          queue={name}
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
  readonly queue: string;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onPause: (reason: string) => void;
}): ReactNode {
  const { queue, busy, onClose, onPause } = props;
  const { t } = useTexts();
  const [reason, setReason] = useState("");
  return (
    <Dialog title={t("queue.pause.title", { queue })} onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          onPause(reason.trim());
        }}
      >
        <p>{t("queue.pause.effect")}</p>
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
