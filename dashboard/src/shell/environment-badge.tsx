import type { ReactNode } from "react";
import { useInfo } from "../api/queries.js";
import { useTexts } from "../i18n/text.js";
import { visible } from "../ui/visible.js";
import { inkOn } from "./ink.js";

/** Which installation this is, so that nobody takes production for something else. Nothing where nobody named it. */
export function EnvironmentBadge(): ReactNode {
  const { t } = useTexts();
  const environment = useInfo().data?.environment;
  if (environment == null) return null;
  const { label, color } = environment;
  return (
    <span
      className="environment one-line"
      translate="no"
      title={t("shell.environment", { label: visible(label) })}
      style={color === null ? {} : { background: color, borderColor: color, color: inkOn(color) }}
    >
      {visible(label)}
    </span>
  );
}
