import type { ReactNode } from "react";
import { Link } from "wouter";
import type { WorkerView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useServerNow } from "../../live/clock.js";
import { queuePath } from "../../shell/routes.js";
import { Badge } from "../../ui/badge.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { isSilent, shareOf } from "./load.js";

const LISTED = 8;

export function WorkerTable({ workers }: { readonly workers: readonly WorkerView[] }): ReactNode {
  const { t } = useTexts();
  return (
    <div className="table-frame">
      <table className="stacks workers">
        <caption className="visually-hidden">{t("workers.caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("workers.column.worker")}</th>
            <th scope="col">{t("workers.column.state")}</th>
            <th scope="col">{t("workers.column.slots")}</th>
            <th scope="col">{t("workers.column.queues")}</th>
            <th scope="col">{t("workers.column.names")}</th>
            <th scope="col">{t("workers.column.started")}</th>
            <th scope="col">{t("workers.column.seen")}</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <Row key={`${worker.id} ${worker.host} ${worker.startedAt}`} worker={worker} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ worker }: { readonly worker: WorkerView }): ReactNode {
  const { t } = useTexts();
  const { id, host, pid, state, queues, names, startedAt } = worker;
  return (
    <tr>
      <th scope="row">
        <span className="cell-line">
          <span className="job-text row-link" translate="no" dir="auto">
            {visible(id)}
          </span>
          {pid === null && (
            <span title={t("workers.http.title")}>
              <Badge tone="accent">{t("workers.http")}</Badge>
            </span>
          )}
        </span>
        <span className="second-line">
          <span className="job-text" translate="no" dir="auto">
            {visible(host)}
          </span>
          {/* The number of a process is a name: it has no separators. */}
          {pid !== null && <span>{t("workers.pid", { pid: String(pid) })}</span>}
        </span>
      </th>
      <td data-label={t("workers.column.state")}>
        <Badge tone={state === "active" ? "good" : "warn"} icon={state === "active" ? "play" : "minus"}>
          {t(`workers.state.${state}`)}
        </Badge>
      </td>
      <td data-label={t("workers.column.slots")}>
        <Slots worker={worker} />
      </td>
      <td data-label={t("workers.column.queues")}>
        <Names names={queues} link={queuePath} />
      </td>
      <td data-label={t("workers.column.names")}>
        {names === null ? <span className="muted">{t("workers.allNames")}</span> : <Names names={names} />}
      </td>
      <td data-label={t("workers.column.started")}>
        <RelativeTime at={startedAt} />
      </td>
      <td data-label={t("workers.column.seen")}>
        <Seen worker={worker} />
      </td>
    </tr>
  );
}

function Slots({ worker: { running, concurrency } }: { readonly worker: WorkerView }): ReactNode {
  const { t } = useTexts();
  const share = shareOf({ running, slots: concurrency });
  return (
    <span className="slots">
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {t("workers.busy", { running, slots: concurrency })}
    </span>
  );
}

function Names({
  names,
  link,
}: {
  readonly names: readonly string[];
  readonly link?: (name: string) => string;
}): ReactNode {
  const { t } = useTexts();
  const hidden = names.slice(LISTED);
  return (
    <span className="cell-line names">
      {names.slice(0, LISTED).map((name) =>
        link === undefined ? (
          <span key={name} className="tag job-text" translate="no" dir="auto">
            {visible(name)}
          </span>
        ) : (
          <Link key={name} href={link(name)} className="tag job-text" translate="no" dir="auto">
            {visible(name)}
          </Link>
        ),
      )}
      {hidden.length > 0 && (
        <span className="muted" title={visible(hidden.join(", "))}>
          {t("workers.more", { count: hidden.length })}
        </span>
      )}
    </span>
  );
}

function Seen({ worker }: { readonly worker: WorkerView }): ReactNode {
  const { t } = useTexts();
  const silent = isSilent(worker, useServerNow());
  return (
    <span className="cell-line">
      <RelativeTime at={worker.seenAt} />
      {silent && (
        <span title={t("workers.silent.title")}>
          <Badge tone="warn" icon="dead">
            {t("workers.silent")}
          </Badge>
        </span>
      )}
    </span>
  );
}
