import { useEffect, useSyncExternalStore } from "react";
import { useTexts } from "../i18n/text.js";
import { visible } from "../ui/visible.js";

/** Which page is shown, without what is wrong on it: that would be told again and again. */
let place = "";
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePlace(): string {
  return useSyncExternalStore(subscribe, () => place);
}

/**
 * Names the page in the title of the window: `3 dead · Overview – Konveier`.
 *
 * @param parts where one is, the innermost first; empty ones are left out
 * @param trouble what is wrong here, in a few words
 */
export function usePageTitle(parts: readonly string[], trouble: string | null = null): void {
  const { t } = useTexts();
  const name = parts
    .filter((part) => part !== "")
    .map(visible)
    .join(" · ");
  const title = `${trouble === null ? "" : `${trouble} · `}${name} – ${t("app.name")}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    place = name;
    for (const listener of listeners) listener();
  }, [name]);
}
