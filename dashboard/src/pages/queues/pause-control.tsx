import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { send } from "../../api/request.js";
import type { QueueView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { Confirm } from "../../ui/confirm.js";
import { Field } from "../../ui/field.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { visible } from "../../ui/visible.js";

/** Pauses with a reason, and resumes. */
export function PauseControl({ queue }: { readonly queue: QueueView }): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  const [asking, setAsking] = useState(false);
  const isPaused = queue.pausedAt !== null;
  const place = useRef<HTMLSpanElement>(null);
  const hasActed = useRef(false);
  const sendChange = useChange(queue.name);
  const change = (...[verb, reason]: Parameters<typeof sendChange>): Promise<void> => {
    hasActed.current = true;
    return sendChange(verb, reason);
  };
  // The button that was pressed is gone then. The other one does not get the focus: a second Enter would undo it all.
  useEffect(() => {
    if (!hasActed.current || asking || document.activeElement !== document.body) return;
    hasActed.current = false;
    place.current?.focus({ preventScroll: true });
  }, [isPaused, asking]);
  // Two buttons, of which one is there: what was pressed for one thing must not do the other when somebody else was
  // faster, and the dialog stays over either.
  return (
    <span ref={place} tabIndex={-1}>
      {!isPaused ? (
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
          onPress={() =>
            change("resume").catch((error: unknown) => {
              toast(problemText(error), "bad");
            })
          }
        >
          {t("queue.resume")}
        </AllowedButton>
      )}
      {asking && (
        <PauseDialog
          queue={queue}
          onPause={(reason) => change("pause", reason)}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </span>
  );
}

/** @throws Problem */
function useChange(name: string): (verb: "pause" | "resume", reason?: string) => Promise<void> {
  const { t } = useTexts();
  const client = useQueryClient();
  return async (verb, reason = "") => {
    await send<QueueView>(`/v1/queues/${encodeURIComponent(name)}/${verb}`, {
      method: "POST",
      body: reason === "" ? {} : { reason },
    });
    toast(t(verb === "pause" ? "queue.toast.paused" : "queue.toast.resumed", { queue: name }));
    await client.invalidateQueries({
      predicate: ({ queryKey: [kind] }) => kind === "queue" || kind === "queues",
    });
  };
}

function PauseDialog({
  queue: { name, pausedAt, pauseReason },
  onPause,
  onClose,
}: {
  readonly queue: QueueView;
  readonly onPause: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [reason, setReason] = useState("");
  const already =
    pauseReason === null
      ? t("queue.pause.already")
      : t("queue.pause.alreadyFor", { reason: visible(pauseReason) });
  return (
    <Confirm
      title={t("queue.pause.title", { queue: name })}
      action={t("queue.pause")}
      hasField
      warning={pausedAt === null ? null : already}
      run={() => onPause(reason.trim())}
      onClose={onClose}
    >
      <p>{t("queue.pause.effect")}</p>
      <Field label={t("queue.pause.reason")}>
        {(control) => (
          <input
            {...control}
            className="input"
            autoFocus
            maxLength={500}
            value={reason}
            onChange={({ target }) => {
              setReason(target.value);
            }}
          />
        )}
      </Field>
    </Confirm>
  );
}
