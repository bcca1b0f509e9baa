import type { ReactNode } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useTexts } from "../i18n/text.js";
import { RANGE_NAMES, rangeOf, type RangeName } from "./ranges.js";

/** The range of the page's charts, kept in its address. */
export function useRange(): RangeName {
  const [parameters] = useSearchParams();
  return rangeOf(parameters.get("range"));
}

export function RangePicker(): ReactNode {
  const { t } = useTexts();
  const [location] = useLocation();
  const [parameters] = useSearchParams();
  const chosen = useRange();
  const addressOf = (name: RangeName): string => {
    const next = new URLSearchParams(parameters);
    next.set("range", name);
    return `${location}?${next.toString()}`;
  };
  return (
    <nav className="segments" aria-label={t("chart.range")}>
      {RANGE_NAMES.map((name) => (
        <Link
          key={name}
          href={addressOf(name)}
          replace
          aria-current={name === chosen ? "true" : undefined}
          title={t(`chart.range.${name}`)}
        >
          {t(`chart.short.${name}`)}
        </Link>
      ))}
    </nav>
  );
}
