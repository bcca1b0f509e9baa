import type { ReactNode } from "react";
import { useQueuesQuery } from "../../api/queries.js";
import { useTexts } from "../../i18n/text.js";
import { ProblemNote } from "../../ui/problem-note.js";

export function OverviewPage(): ReactNode {
  const { t, format } = useTexts();
  const { data, error } = useQueuesQuery();
  return (
    <div className="page">
      <header className="page-header">
        <h1>{t("nav.overview")}</h1>
      </header>
      {error !== null && <ProblemNote error={error} />}
      <ul>
        {data?.items.map(({ name, counts }) => (
          <li key={name}>
            {name} {format.number(counts.pending)}
          </li>
        ))}
      </ul>
    </div>
  );
}
