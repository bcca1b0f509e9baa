import type { ReactNode } from "react";
import { read } from "../../api/request.js";
import type { WorkerView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { usePageTitle } from "../../shell/page-title.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { loadOf } from "./load.js";
import { NoWorkers } from "./no-workers.js";
import { WorkerTable } from "./worker-table.js";

/** Who does the work, and whether they are heard of. */
export function WorkersPage(): ReactNode {
  const { t } = useTexts();
  usePageTitle([t("nav.workers")]);
  const { data, error, refetch } = useLiveQuery(
    ["workers"],
    (signal) => read<{ items: WorkerView[] }>("/v1/workers", {}, signal),
    { topics: ["workers", "jobs"], everyMs: 2_000 },
  );
  const items = data?.items ?? [];
  return (
    <div className="page">
      <header className="page-header">
        <h1>{t("nav.workers")}</h1>
        {items.length > 0 && (
          <span className="muted">{t("workers.summary", { count: items.length, ...loadOf(items) })}</span>
        )}
      </header>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && (
        <div className="card">
          <LoadingRows />
        </div>
      )}
      {data?.items.length === 0 && <NoWorkers />}
      {items.length > 0 && (
        <section className="card" aria-label={t("nav.workers")}>
          <WorkerTable workers={items} />
          <footer className="card-footer">
            <span className="muted">{t("workers.gone")}</span>
          </footer>
        </section>
      )}
    </div>
  );
}
