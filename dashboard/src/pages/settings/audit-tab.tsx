import type { ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { read } from "../../api/request.js";
import type { AuditEntryView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { Badge } from "../../ui/badge.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { AbsoluteTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";

const PAGE = 50;

interface AuditPage {
  readonly items: readonly AuditEntryView[];
  readonly nextCursor: string | null;
}

/** Who changed what. The newest page follows what happens; older ones do not change. */
export function AuditTab(): ReactNode {
  const { t } = useTexts();
  const [parameters] = useSearchParams();
  const cursor = parameters.get("cursor");
  const { data, error, refetch } = useLiveQuery(
    ["audit", cursor],
    (signal) => read<AuditPage>("/v1/audit", { limit: PAGE, cursor }, signal),
    { topics: cursor === null ? ["tokens", "operations", "schedules", "queues"] : [], everyMs: 5_000 },
  );
  const items = data?.items ?? [];
  const older = data?.nextCursor ?? null;
  return (
    <section className="card" aria-label={t("settings.tab.audit")}>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows />}
      {data?.items.length === 0 && <p className="empty">{t("audit.none")}</p>}
      {items.length > 0 && <AuditTable entries={items} />}
      <nav className="paging" aria-label={t("settings.tab.audit")}>
        {cursor !== null && (
          <Link className="button" href="/settings?tab=audit">
            {t("audit.newest")}
          </Link>
        )}
        {older !== null && (
          <Link className="button" href={`/settings?tab=audit&cursor=${encodeURIComponent(older)}`}>
            {t("audit.older")}
          </Link>
        )}
      </nav>
    </section>
  );
}

function AuditTable({ entries }: { readonly entries: readonly AuditEntryView[] }): ReactNode {
  const { t } = useTexts();
  return (
    <div className="table-frame">
      <table className="stacks audit">
        <caption className="visually-hidden">{t("audit.caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("audit.when")}</th>
            <th scope="col">{t("audit.who")}</th>
            <th scope="col">{t("audit.what")}</th>
            <th scope="col">{t("audit.target")}</th>
            <th scope="col">{t("audit.status")}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Row key={`${entry.requestId} ${entry.at} ${entry.target ?? ""}`} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ entry }: { readonly entry: AuditEntryView }): ReactNode {
  const { t } = useTexts();
  const { at, tokenName, session, ip, action, target, detail, status, requestId } = entry;
  return (
    <tr>
      <td data-label={t("audit.when")}>
        <AbsoluteTime at={at} />
      </td>
      <td data-label={t("audit.who")}>
        <div className="lines">
          <span className="cell-line">
            <span className="job-text" translate="no" dir="auto">
              {visible(tokenName)}
            </span>
            {session && (
              <span className="tag" title={t("audit.session.title")}>
                {t("audit.session")}
              </span>
            )}
          </span>
          <span className="second-line">{ip}</span>
        </div>
      </td>
      <td data-label={t("audit.what")}>
        <code translate="no" title={t("error.request", { id: requestId })}>
          {action}
        </code>
      </td>
      <td data-label={t("audit.target")}>
        <div className="lines">
          <span className="job-text" translate="no" dir="auto">
            {visible(target ?? detail ?? "–")}
          </span>
          {target !== null && detail !== null && (
            <span className="second-line job-text" translate="no" dir="auto">
              {visible(detail)}
            </span>
          )}
        </div>
      </td>
      <td data-label={t("audit.status")}>
        <Answer status={status} />
      </td>
    </tr>
  );
}

function Answer({ status }: { readonly status: number | null }): ReactNode {
  const { t } = useTexts();
  if (status === null) return <Badge tone="warn">{t("audit.noAnswer")}</Badge>;
  return (
    <Badge tone={status < 400 ? "good" : "bad"} icon={status < 400 ? "check" : "cross"}>
      {String(status)}
    </Badge>
  );
}
