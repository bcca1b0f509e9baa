import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { useLiveState } from "../live/live.js";
import { isBehind } from "../live/refresher.js";
import { useSignedIn } from "./session.js";

/** How fresh the page is; a press pauses and resumes. */
export function LivePill(): ReactNode {
  const { t } = useTexts();
  const { status, paused, setPaused } = useLiveState();
  const isOld = useIsBehind();
  const shown = status === "live" && isOld ? "waiting" : status;
  // Who is not signed in sees nothing that could be fresh.
  if (!useSignedIn()) return null;
  return (
    <button
      type="button"
      className={`live-pill ${shown}`}
      aria-pressed={paused}
      title={paused ? t("live.resume") : t("live.pause")}
      onClick={() => {
        setPaused(!paused);
      }}
    >
      <span className="dot" aria-hidden="true" />
      {t(`live.${shown}`)}
    </button>
  );
}

/** Whether something on the page could not be read again. The numbers that it had are still there, and look like new. */
function useIsBehind(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    useCallback((changed) => cache.subscribe(notifyManager.batchCalls(changed)), [cache]),
    () => cache.findAll({ type: "active" }).some(isBehind),
  );
}

export function UpdateNotice(): ReactNode {
  const { t } = useTexts();
  const { outdated } = useLiveState();
  if (!outdated) return null;
  return (
    <div className="notice warn" role="status">
      <span className="spacer">{t("live.updated")}</span>
      <button
        type="button"
        className="button"
        onClick={() => {
          location.reload();
        }}
      >
        {t("live.reload")}
      </button>
    </div>
  );
}
