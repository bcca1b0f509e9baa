import { useState, type ReactNode } from "react";
import { send } from "../../api/request.js";
import type { FlowChangedView, FlowDetailView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { Confirm } from "../../ui/confirm.js";
import { toast } from "../../ui/toasts.js";
import { flowAddress, useFlowsChanged } from "../flows/flow-queries.js";

type Action = "retry" | "cancel";

/** What can be done with the flow as a whole. */
export function FlowActions({ flow }: { readonly flow: FlowDetailView }): ReactNode {
  const { t } = useTexts();
  const [asked, setAsked] = useState<Action | null>(null);
  const { dead, cancelled } = flow.counts;
  const isOver = flow.finishedAt !== null;
  const close = (): void => {
    setAsked(null);
  };
  return (
    <div className="toolbar">
      <AllowedButton
        needs="operate"
        icon="retry"
        tone={flow.stuck || flow.state === "failed" ? "primary" : ""}
        refusal={dead + cancelled === 0 ? t("flow.retry.nothing") : null}
        onPress={() => {
          setAsked("retry");
        }}
      >
        {t("flow.retry")}
      </AllowedButton>
      <AllowedButton
        needs="operate"
        icon="close"
        refusal={isOver ? t("flow.cancel.over") : null}
        onPress={() => {
          setAsked("cancel");
        }}
      >
        {t("flow.cancel")}
      </AllowedButton>
      {asked === "retry" && <RetryDialog flow={flow} onClose={close} />}
      {asked === "cancel" && <CancelDialog flow={flow} onClose={close} />}
    </div>
  );
}

interface Shown {
  readonly flow: FlowDetailView;
  readonly onClose: () => void;
}

function RetryDialog({ flow, onClose }: Shown): ReactNode {
  const { t } = useTexts();
  const run = useAction(flow, "retry");
  const { dead, cancelled } = flow.counts;
  return (
    <Confirm
      title={t("flow.retry.title", { name: flow.name })}
      action={t("flow.retry.do")}
      ready={dead + cancelled > 0}
      run={run}
      onClose={onClose}
    >
      {dead > 0 && <p>{t("flow.retry.dead", { count: dead })}</p>}
      {cancelled > 0 && <p>{t("flow.retry.cancelled", { count: cancelled })}</p>}
      <p>{t("flow.retry.text")}</p>
    </Confirm>
  );
}

function CancelDialog({ flow, onClose }: Shown): ReactNode {
  const { t } = useTexts();
  const run = useAction(flow, "cancel");
  const { jobs, completed, dead, cancelled } = flow.counts;
  const left = jobs - completed - dead - cancelled;
  const { running = 0 } = flow.states;
  return (
    <Confirm
      title={t("flow.cancel.title", { name: flow.name })}
      action={t("flow.cancel.do")}
      danger
      typed={{ text: flow.name, label: t("confirm.type", { text: flow.name }) }}
      warning={flow.finishedAt === null ? null : t("flow.cancel.over")}
      run={run}
      onClose={onClose}
    >
      <p>{t("flow.cancel.text", { count: left })}</p>
      {running > 0 && <p>{t("flow.cancel.running", { count: running })}</p>}
    </Confirm>
  );
}

/** Done again after a lost answer it does the rest, so nothing more has to be asked. */
function useAction({ id }: FlowDetailView, action: Action): () => Promise<void> {
  const { t } = useTexts();
  const changed = useFlowsChanged();
  return async () => {
    const answer = await send<FlowChangedView>(`${flowAddress(id)}/${action}`, { method: "POST" });
    toast(t(`flow.${action}.done`, { count: answer.changed }));
    await changed();
  };
}
