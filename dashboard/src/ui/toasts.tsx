import { useSyncExternalStore, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { Icon } from "./icon.js";

interface Toast {
  readonly id: number;
  readonly content: ReactNode;
  readonly tone: "plain" | "bad" | "lasting";
}

const SHOWN_MS = 8_000;
let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** Says at the edge of the page what an action did. Failures, and what is `lasting`, stay until they are closed. */
export function toast(content: ReactNode, tone: Toast["tone"] = "plain"): void {
  const id = (last += 1);
  change([...toasts, { id, content, tone }]);
  if (tone === "plain") {
    setTimeout(() => {
      close(id);
    }, SHOWN_MS);
  }
}

function close(id: number): void {
  change(toasts.filter((shown) => shown.id !== id));
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts(): ReactNode {
  const { t } = useTexts();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, content, tone }) => (
        <div key={id} className={`toast ${tone}`}>
          <span className="job-text">{content}</span>
          <button
            type="button"
            aria-label={t("shell.close")}
            onClick={() => {
              close(id);
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
