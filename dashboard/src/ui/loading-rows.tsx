import type { ReactNode } from "react";
import { useTexts } from "../i18n/text.js";

/** Where a list will be, until it is there for the first time. */
export function LoadingRows(): ReactNode {
  const { t } = useTexts();
  return (
    <div className="loading-rows">
      <span className="visually-hidden">{t("list.loading")}</span>
      {[82, 64, 74, 58, 70].map((width) => (
        <div key={width} className="skeleton" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
