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
import { bulkOf, targetPath } from "./audit-target.js";

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
      {(cursor !== null || older !== null) && (
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
      )}
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
            <th scope="col">{t("audit.more")}</th>
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
  const { at, tokenName, session, action, status } = entry;
  return (
    <tr>
      <td data-label={t("audit.when")}>
        <AbsoluteTime at={at} />
      </td>
      <td data-label={t("audit.who")}>
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
      </td>
      <td data-label={t("audit.what")}>
        <Action name={action} />
      </td>
      <td data-label={t("audit.target")} className="audit-target">
        <Target entry={entry} />
      </td>
      <td data-label={t("audit.status")}>
        <Answer status={status} />
      </td>
      <td>
        <More entry={entry} />
      </td>
    </tr>
  );
}

function Action({ name }: { readonly name: string }): ReactNode {
  const { t, has } = useTexts();
  const key = `audit.action.${name}`;
  // Every message of this form is without values.
  return has(key) ? t(key as "audit.action.signIn") : <code translate="no">{name}</code>;
}

/** With a way to it, when it has a page. */
function Target({ entry: { action, target, detail } }: { readonly entry: AuditEntryView }): ReactNode {
  const { t } = useTexts();
  const bulk = target === null ? bulkOf(detail) : null;
  if (bulk !== null) {
    return (
      <>
        {t(`operations.running.${bulk.action}`)}{" "}
        <code className="job-text" translate="no">
          {visible(bulk.jobs)}
        </code>
      </>
    );
  }
  const path = target === null ? null : targetPath(action, target);
  const text = visible(target ?? detail ?? "–");
  return path === null ? (
    <span className="job-text" translate="no" dir="auto">
      {text}
    </span>
  ) : (
    <Link href={path} className="job-text" translate="no" dir="auto">
      {text}
    </Link>
  );
}

function More({ entry: { ip, requestId, action, detail } }: { readonly entry: AuditEntryView }): ReactNode {
  const { t } = useTexts();
  const facts = [
    [t("audit.address"), ip],
    [t("audit.operation"), action],
    [t("audit.request"), requestId],
    [t("audit.detail"), detail],
  ] as const;
  return (
    <details className="audit-more">
      <summary>{t("audit.more")}</summary>
      <dl>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="job-text" translate="no" dir="auto">
                  {visible(value)}
                </dd>
              </div>
            ),
        )}
      </dl>
    </details>
  );
}

function Answer({ status }: { readonly status: number | null }): ReactNode {
  const { t } = useTexts();
  if (status === null) return <Badge tone="warn">{t("audit.noAnswer")}</Badge>;
  return (
    <Badge tone={status < 400 ? "good" : "bad"} icon={status < 400 ? "check" : "cross"}>
      {t(`audit.answer.${meaningOf(status)}`)} <span className="audit-code">{status}</span>
    </Badge>
  );
}

const ACCEPTED = 202;

/** What a status says, for who does not know the codes of HTTP. */
function meaningOf(status: number): "done" | "accepted" | "refused" | "failed" {
  if (status === ACCEPTED) return "accepted";
  if (status < 400) return "done";
  return status < 500 ? "refused" : "failed";
}
