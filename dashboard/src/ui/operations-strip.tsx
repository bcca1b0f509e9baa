import { useEffect, useRef, type ReactNode } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { read, send } from "../api/request.js";
import type { OperationView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { useLiveState } from "../live/live.js";
import { useLiveQuery } from "../live/use-live-query.js";
import { ActionButton } from "./action-button.js";
import { useRefusal } from "./allowed-button.js";
import { useProblemText } from "./problem-note.js";
import { retriedBy } from "./retried-jobs.js";
import { toast } from "./toasts.js";
import { Retried } from "./unserved-note.js";
import { visible } from "./visible.js";

const KEY = ["operations", "newest"];
const NEWEST = 20;
/** While one is on its way: its progress is told by no stream. */
const PROGRESS_MS = 1_000;

/** Operations on many jobs that are on their way. Nothing where there are none; what ends says so in a toast. */
export function OperationsStrip(): ReactNode {
  const { t } = useTexts();
  const operations = useOperations();
  const running = operations.filter(({ state }) => state === "running");
  useEndings(operations);
  if (running.length === 0) return null;
  return (
    <ul className="operations" aria-label={t("operations.title")}>
      {running.map((operation) => (
        <Running key={operation.id} operation={operation} />
      ))}
    </ul>
  );
}

function useOperations(): readonly OperationView[] {
  const client = useQueryClient();
  const { paused } = useLiveState();
  const { data } = useLiveQuery(
    KEY,
    (signal) => read<{ items: OperationView[] }>("/v1/operations", { limit: NEWEST }, signal),
    { topics: ["operations"] },
  );
  const items = data?.items ?? [];
  const progresses = !paused && items.some(({ state }) => state === "running");
  useEffect(() => {
    if (!progresses) return undefined;
    const timer = setInterval(() => {
      void client.invalidateQueries({ queryKey: KEY });
    }, PROGRESS_MS);
    return () => {
      clearInterval(timer);
    };
  }, [client, progresses]);
  return items;
}

/** Says how those that were seen on their way have ended. */
function useEndings(operations: readonly OperationView[]): void {
  const { t } = useTexts();
  const running = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    for (const { id, state, action, changed } of operations) {
      if (!running.current.has(id) || state === "running") continue;
      const text =
        state === "completed"
          ? t(`operations.done.${action}`, { count: changed })
          : t("operations.stopped", { count: changed });
      toast(action === "retry" ? <Retried text={text} count={changed} jobs={retriedBy(id)} /> : text);
    }
    running.current = new Set(operations.filter(({ state }) => state === "running").map(({ id }) => id));
  }, [operations, t]);
}

function Running({ operation }: { readonly operation: OperationView }): ReactNode {
  const { t, format } = useTexts();
  const client = useQueryClient();
  const problemText = useProblemText();
  const refusal = useRefusal("operate");
  const { id, action, q, changed, matched } = operation;
  const cancel = async (): Promise<void> => {
    try {
      await send(`/v1/operations/${encodeURIComponent(id)}/cancel`, { method: "POST" });
      await client.invalidateQueries({ queryKey: KEY });
    } catch (error) {
      toast(problemText(error), "bad");
    }
  };
  const progress = t("operations.progress", {
    changed: format.number(changed),
    // More may match than were counted.
    matched: format.number(Math.max(matched, changed)),
  });
  return (
    <li className="operation">
      <span className="operation-what">
        <strong>{t(`operations.running.${action}`)}</strong>{" "}
        <code className="job-text one-line" translate="no" title={visible(q)}>
          {visible(q)}
        </code>
      </span>
      <progress max={Math.max(matched, changed, 1)} value={changed} aria-label={progress} />
      <span className="number">{progress}</span>
      <ActionButton refusal={refusal} onPress={cancel}>
        {t("operations.stop")}
      </ActionButton>
    </li>
  );
}
