import type { ReactNode } from "react";
import { Link } from "wouter";
import { read } from "../../api/request.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { jobsPath } from "../../shell/routes.js";
import { visible } from "../../ui/visible.js";
import type { DeadFilter } from "./dead-queries.js";
import { termsOfFilter, useDeadCounts } from "./use-dead-counts.js";

/** Attempts stand in no index: above so many scheduled jobs it would take too long to look at them all. */
const MOST_LOOKED_AT = 5_000;
const EVERY_MS = 5_000;

/** Says that more jobs like the dead ones have failed, and will be tried again by themselves. */
export function WaitingNote({ filter }: { readonly filter: DeadFilter }): ReactNode {
  const { t, rich } = useTexts();
  const { queue, name } = filter;
  const counts = useDeadCounts(filter);
  const isFiltered = queue !== "" || name !== "";
  const isCheap = counts?.hasScheduled === true && counts.scheduled <= MOST_LOOKED_AT;
  const q = `attempt>0 ${termsOfFilter(filter)}`;
  const { data, isPlaceholderData } = useLiveQuery(
    ["waiting again", q],
    (signal) => read<{ count: number }>("/v1/jobs/count", { q: `state:scheduled ${q}` }, signal),
    { topics: ["jobs"], everyMs: EVERY_MS },
    isFiltered && isCheap,
  );
  // That of another filter says nothing about this one.
  const count = isPlaceholderData ? 0 : (data?.count ?? 0);
  if (!isFiltered || !isCheap || count === 0) return null;
  const what = (
    <strong className="job-text" translate="no">
      {visible(name === "" ? queue : name)}
    </strong>
  );
  return (
    <p className="notice">
      <span className="spacer">
        {rich(name === "" ? "dead.waiting.queue" : "dead.waiting", { count, what })}
      </span>
      <Link href={jobsPath(q, "scheduled")} className="button">
        {t("dead.waiting.show")}
      </Link>
    </p>
  );
}
