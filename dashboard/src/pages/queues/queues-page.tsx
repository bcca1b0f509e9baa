import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useQueuesQuery } from "../../api/queries.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { QueueTable } from "./queue-table.js";

/** All queues, those where jobs wait longest first. */
export function QueuesPage(): ReactNode {
  const { t } = useTexts();
  usePageTitle([t("nav.queues")]);
  const [parameters, setParameters] = useSearchParams();
  const wanted = parameters.get("q") ?? "";
  const { data, error, refetch } = useQueuesQuery();
  const shown = data?.items.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  return (
    <div className="page">
      <header className="page-header">
        <div>
          <h1>{t("queues.title")}</h1>
          {data !== undefined && <p className="muted">{t("queues.lead", { count: data.items.length })}</p>}
        </div>
        <input
          className="input queue-filter"
          type="search"
          aria-label={t("queues.filter")}
          placeholder={t("queues.filter")}
          value={wanted}
          onChange={({ target }) => {
            const { value } = target;
            setParameters(
              (before) => {
                if (value === "") before.delete("q");
                else before.set("q", value);
                return before;
              },
              { replace: true },
            );
          }}
        />
      </header>
      {error !== null && data === undefined && <ProblemNote error={error} retry={() => void refetch()} />}
      {shown !== undefined && (
        <section className="card">
          {shown.length === 0 ? (
            <p className="empty">{data?.items.length === 0 ? t("queues.none") : t("queues.noMatch")}</p>
          ) : (
            <QueueTable queues={shown} />
          )}
        </section>
      )}
    </div>
  );
}
