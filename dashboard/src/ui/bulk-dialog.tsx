import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type ReactNode, type SubmitEvent } from "react";
import { asProblem, type Problem } from "../api/problem.js";
import { send } from "../api/request.js";
import type { BulkAction, BulkPreviewView, OperationView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { BulkPreview } from "./bulk-preview.js";
import { RATES, readBulkPreview, type BulkTarget, type PreviewedBulk } from "./bulk-target.js";
import { Dialog } from "./dialog.js";
import { ProblemNote, useProblemText } from "./problem-note.js";
import { toast } from "./toasts.js";

export type { BulkTarget } from "./bulk-target.js";

/** From so many jobs on, their number is to be typed. Deletes always ask for it. */
const TYPED_FROM = 20;

/** Shows what an action on many jobs would do, and does it when that is confirmed. */
export function BulkDialog({
  action,
  target,
  onClose,
  onStarted,
}: {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly onClose: () => void;
  readonly onStarted: () => void;
}): ReactNode {
  const { t } = useTexts();
  const id = useId();
  const query = useQuery<PreviewedBulk, Problem>({
    queryKey: ["bulk-preview", id, action],
    queryFn: ({ signal }) => readBulkPreview(action, target, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const { data, error, refetch } = query;
  const [refreshed, setRefreshed] = useState(false);
  return (
    <Dialog title={titleOf(t, action, data?.preview)} dismissable onClose={onClose}>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && (
        <p className="muted" role="status">
          {t("bulk.counting")}
        </p>
      )}
      {refreshed && (
        <p className="notice warn" role="alert">
          {t("bulk.refreshed")}
        </p>
      )}
      {data !== undefined && <BulkPreview action={action} previewed={data} />}
      {/* Another preview asks anew for everything that confirms it. */}
      <Confirmation
        key={data?.preview.previewToken ?? ""}
        action={action}
        preview={data?.preview ?? null}
        onClose={onClose}
        onStarted={onStarted}
        onStale={() => {
          setRefreshed(true);
          void refetch();
        }}
      />
    </Dialog>
  );
}

function titleOf(
  t: ReturnType<typeof useTexts>["t"],
  action: BulkAction,
  preview: BulkPreviewView | undefined,
): string {
  return preview === undefined
    ? t(`bulk.title.${action}`)
    : t(`bulk.titleOf.${action}`, { count: preview.matched });
}

interface ConfirmationProps {
  readonly action: BulkAction;
  readonly preview: BulkPreviewView | null;
  readonly onClose: () => void;
  readonly onStarted: () => void;
  readonly onStale: () => void;
}

function Confirmation({ action, preview, onClose, onStarted, onStale }: ConfirmationProps): ReactNode {
  const { t, format, roughly } = useTexts();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const [perSecond, setPerSecond] = useState<number>(action === "retry" ? 50 : 500);
  const { start, busy, fault } = useStart(onStarted, onStale);
  const matched = preview?.matched ?? 0;
  const mustType = matched > 0 && (action === "delete" || matched >= TYPED_FROM);
  const ready = matched > 0 && (!mustType || typed.replaceAll(/\s/g, "") === String(matched));
  return (
    <form
      className="dialog-form"
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        if (ready && !busy && preview !== null) void start(preview, { perSecond, reason });
      }}
    >
      {matched > 0 && (
        <div className="form-row">
          <div className="field">
            <label htmlFor={`${id}rate`}>{t("bulk.rate")}</label>
            <select
              id={`${id}rate`}
              className="input"
              value={perSecond}
              onChange={({ target }) => {
                setPerSecond(Number(target.value));
              }}
            >
              {RATES.map((rate) => (
                <option key={rate} value={rate}>
                  {t("bulk.perSecond", {
                    number: format.number(rate),
                    duration: roughly(Math.max(1, Math.ceil(matched / rate)) * 1_000),
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
              value={reason}
              maxLength={500}
              autoComplete="off"
              onChange={({ target }) => {
                setReason(target.value);
              }}
            />
          </div>
        </div>
      )}
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
          {t("form.cancel")}
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

interface Starting {
  readonly busy: boolean;
  readonly fault: string | null;
  readonly start: (
    preview: BulkPreviewView,
    how: { readonly perSecond: number; readonly reason: string },
  ) => Promise<void>;
}

function useStart(onStarted: () => void, onStale: () => void): Starting {
  const { t } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  return {
    busy,
    fault,
    start: async ({ previewToken, action, matched }, { perSecond, reason }) => {
      setBusy(true);
      setFault(null);
      try {
        await send<OperationView>("/v1/jobs/bulk", {
          method: "POST",
          body: { previewToken, perSecond, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) },
        });
        toast(t(`bulk.started.${action}`, { count: matched }));
        void client.invalidateQueries({ queryKey: ["operations"] });
        onStarted();
      } catch (error) {
        const { code } = asProblem(error);
        setBusy(false);
        if (code === "preview_expired" || code === "preview_stale") onStale();
        else setFault(problemText(error));
      }
    },
  };
}
