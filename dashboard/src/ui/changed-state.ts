import { useTexts } from "../i18n/text.js";

/** Says that a job is in another state than when it was asked what to do with it; `null` while it is not. */
export function useChangedState(asked: string, now: string): string | null {
  const { t, has } = useTexts();
  if (asked === now) return null;
  const key = `state.${now}`;
  return t("confirm.changed", { state: has(key) ? t(key as "state.dead") : now });
}
