import { useIsFetching } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { useLiveState } from "../live/live.js";
import { useSignedIn } from "./session.js";

/** How fresh the page is; a press pauses and resumes. */
export function LivePill(): ReactNode {
  const { t } = useTexts();
  const { status, paused, setPaused } = useLiveState();
  // An answer that does not come is asked for again a few times before its part of the page says so.
  const waits = useIsFetching({ type: "active", predicate: ({ state }) => state.fetchFailureCount > 0 }) > 0;
  const shown = status === "live" && waits ? "waiting" : status;
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
