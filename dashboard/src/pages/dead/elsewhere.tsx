import type { ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { useTexts } from "../../i18n/text.js";
import type { DeadFilter } from "./dead-queries.js";
import { useDeadCounts } from "./use-dead-counts.js";

/** Says that the filter of a queue hides dead jobs of the same name in other queues. */
export function Elsewhere({ filter }: { readonly filter: DeadFilter }): ReactNode {
  const { t } = useTexts();
  const [parameters] = useSearchParams();
  const elsewhere = useDeadCounts(filter)?.elsewhere ?? 0;
  if (elsewhere === 0) return null;
  const wider = new URLSearchParams(parameters);
  wider.delete("queue");
  return (
    <p className="notice">
      <span className="spacer">{t("dead.elsewhere", { count: elsewhere })}</span>
      <Link href={`/dead?${wider.toString()}`} className="button">
        {t("dead.elsewhere.show")}
      </Link>
    </p>
  );
}
