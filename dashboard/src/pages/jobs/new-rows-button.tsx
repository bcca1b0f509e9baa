import type { ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { useShortcut } from "../../shell/shortcuts.js";
import type { JobsList } from "./use-jobs-list.js";

/** Says that the list has changed, and changes it when the reader wants it. */
export function NewRowsButton({ list: { fresh, gone, show } }: { readonly list: JobsList }): ReactNode {
  const { t } = useTexts();
  useShortcut("Period", show);
  if (fresh === 0 && gone === 0) return null;
  const texts = [
    fresh > 0 ? t("jobs.fresh", { count: fresh }) : null,
    gone > 0 ? t("jobs.gone", { count: gone }) : null,
  ];
  return (
    <button type="button" className="new-rows" onClick={show}>
      {texts.filter((text) => text !== null).join(" · ")}
      <span className="new-rows-show">{t("jobs.show")}</span>
      <kbd>.</kbd>
    </button>
  );
}
