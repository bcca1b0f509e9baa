import { useQueryClient } from "@tanstack/react-query";
import { useId, useState, type ReactNode, type SubmitEvent } from "react";
import { asProblem } from "../api/problem.js";
import { send } from "../api/request.js";
import type { BulkAction, BulkPreviewView, OperationView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { RATES } from "./bulk-target.js";
import { useProblemText } from "./problem-note.js";
import { toast } from "./toasts.js";
import { useIsHere } from "./use-is-here.js";

/** From so many jobs on, their number is to be typed. Deletes always ask for it. */
const TYPED_FROM = 20;

interface How {
  readonly perSecond: number;
  readonly reason: string;
}

interface ConfirmationProps {
  readonly action: BulkAction;
  readonly preview: BulkPreviewView | null;
  readonly onClose: () => void;
  readonly onStarted: (operation: OperationView) => void;
  readonly onStale: () => void;
}

/** Asks for what confirms an action, and starts it. */
export function BulkConfirmation({
  action,
  preview,
  onClose,
  onStarted,
  onStale,
}: ConfirmationProps): ReactNode {
  const { t } = useTexts();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [how, setHow] = useState<How>({ perSecond: action === "retry" ? 50 : 500, reason: "" });
  const { start, busy, fault } = useStart(onStarted, onStale);
  const matched = preview?.matched ?? 0;
  const mustType = matched > 0 && (action === "delete" || matched >= TYPED_FROM);
  const ready = matched > 0 && (!mustType || typed.replaceAll(/\s/g, "") === String(matched));
  return (
    <form
      className="dialog-form"
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        if (ready && !busy && preview !== null) void start(preview, how);
      }}
    >
      {matched > 0 && <HowFields matched={matched} how={how} onChange={setHow} />}
      {mustType && (
        <div className="field">
          <label htmlFor={`${id}typed`}>{t("bulk.type", { text: String(matched) })}</label>
          <input
            id={`${id}typed`}
            className="input"
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
            }}
          />
        </div>
      )}
      <span className="fault" role="alert">
        {fault}
      </span>
      <div className="dialog-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          {t("confirm.no")}
        </button>
        <button
          type="submit"
          className={action === "delete" ? "button danger" : "button primary"}
          disabled={!ready || busy}
        >
          {t(`bulk.confirm.${action}`)}
        </button>
      </div>
    </form>
  );
}

function HowFields({
  matched,
  how,
  onChange,
}: {
  readonly matched: number;
  readonly how: How;
  readonly onChange: (how: How) => void;
}): ReactNode {
  const { t, format, roughly } = useTexts();
  const id = useId();
  return (
    <div className="form-row">
      <div className="field">
        <label htmlFor={`${id}rate`}>{t("bulk.rate")}</label>
        <select
          id={`${id}rate`}
          className="input"
          value={how.perSecond}
          onChange={({ target }) => {
            onChange({ ...how, perSecond: Number(target.value) });
          }}
        >
          {RATES.map((rate) => (
            <option key={rate} value={rate}>
              {t("bulk.perSecond", {
                number: format.number(rate),
                duration: roughly(Math.ceil(matched / rate) * 1_000),
              })}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}reason`}>{t("bulk.reason")}</label>
        <input
          id={`${id}reason`}
          className="input"
          value={how.reason}
          maxLength={500}
          autoComplete="off"
          onChange={({ target }) => {
            onChange({ ...how, reason: target.value });
          }}
        />
      </div>
    </div>
  );
}

interface Starting {
  readonly busy: boolean;
  readonly fault: string | null;
  readonly start: (preview: BulkPreviewView, how: How) => Promise<void>;
}

function useStart(onStarted: (operation: OperationView) => void, onStale: () => void): Starting {
  const { t } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const isHere = useIsHere();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  return {
    busy,
    fault,
    start: async ({ previewToken, action, matched }, { perSecond, reason }) => {
      setBusy(true);
      setFault(null);
      try {
        const operation = await send<OperationView>("/v1/jobs/bulk", {
          method: "POST",
          body: { previewToken, perSecond, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) },
        });
        toast(t(`bulk.started.${action}`, { count: matched }));
        void client.invalidateQueries({ queryKey: ["operations"] });
        if (isHere()) onStarted(operation);
      } catch (error) {
        const { code } = asProblem(error);
        setBusy(false);
        if (!isHere()) toast(problemText(error), "bad");
        else if (code === "preview_expired") onStale();
        else setFault(problemText(error));
      }
    },
  };
}
