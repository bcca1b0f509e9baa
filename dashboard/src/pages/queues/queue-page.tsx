import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { useWorkersQuery } from "../../api/queries.js";
import { read } from "../../api/request.js";
import type { QueueDetailView, WorkerView } from "../../api/types.js";
import { ActivityChart } from "../../charts/activity-chart.js";
import { DurationChart } from "../../charts/duration-chart.js";
import { RangePicker, useRange } from "../../charts/range-picker.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { useServerNow } from "../../live/clock.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { usePageTitle } from "../../shell/page-title.js";
import { decoded, filterValue, jobsPath } from "../../shell/routes.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { ClockTime, RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { LimitsHint } from "./limits-hint.js";
import { LimitsPanel } from "./limits-panel.js";
import { PauseControl } from "./pause-control.js";
import { QueueCounts } from "./queue-counts.js";

/** One queue: how full it is, how fast it goes, who serves it; pause and resume. */
export function QueuePage(): ReactNode {
  const name = decoded(useParams<{ "*": string }>()["*"].replace(/\/$/, ""));
  const { t } = useTexts();
  const range = useRange();
  const { data, error, refetch } = useLiveQuery(
    ["queue", name],
    (signal) => read<QueueDetailView>(`/v1/queues/${encodeURIComponent(name)}`, {}, signal),
    { topics: ["queues"], queue: name },
  );
  const queue = data?.name === name ? data : undefined;
  usePageTitle([name, t("nav.queues")], troubleOf(queue, t));
  if (queue === undefined && error?.status === 404) {
    return (
      <div className="empty">
        <h1 className="job-text">{visible(name)}</h1>
        <p>{t("queue.notFound")}</p>
      </div>
    );
  }
  return (
    <div className="page">
      <header className="page-header">
        <div>
          <h1 className="job-text" translate="no">
            {visible(name)}
          </h1>
          {queue !== undefined && <LimitsHint queue={queue} />}
        </div>
        <Link href={jobsPath(`queue:${filterValue(name)}`)} className="button">
          {t("queue.jobs")}
        </Link>
        {queue !== undefined && <PauseControl key={name} queue={queue} />}
      </header>
      {error !== null && queue === undefined && <ProblemNote error={error} retry={() => void refetch()} />}
      {queue !== undefined && <PausedNote queue={queue} />}
      {queue !== undefined && <HeldNote queue={queue} />}
      {queue !== undefined && <UnservedNote queue={queue} />}
      {queue === undefined && error === null && <div className="skeleton tiles-skeleton" />}
      {queue !== undefined && <QueueCounts queue={queue} />}
      <ActivityChart of={{ queue: name }} range={range}>
        <RangePicker />
      </ActivityChart>
      <div className="columns">
        <DurationChart metric="wait" of={{ queue: name }} range={range} />
        <DurationChart metric="run" of={{ queue: name }} range={range} />
      </div>
      {queue !== undefined && <LimitsPanel key={name} queue={queue} />}
      <div className="columns">
        <Workers queue={name} />
        {queue !== undefined && queue.unhandled.length > 0 && <Unhandled queue={queue} />}
      </div>
    </div>
  );
}

/** What the title says is wrong with the queue. */
function troubleOf(queue: QueueDetailView | undefined, t: Texts["t"]): string | null {
  if (queue === undefined) return null;
  const { pausedAt, counts } = queue;
  if (pausedAt !== null) return t("state.paused");
  return counts.dead > 0 ? t("title.dead", { count: counts.dead }) : null;
}

function PausedNote({ queue: { pausedAt, pauseReason } }: { readonly queue: QueueDetailView }): ReactNode {
  const { rich } = useTexts();
  if (pausedAt === null) return null;
  const time = <RelativeTime at={pausedAt} />;
  return (
    <p className="notice warn">
      <span>
        {pauseReason === null
          ? rich("queue.paused.note", { time })
          : rich("queue.paused.reason", {
              time,
              reason: <span className="job-text">{visible(pauseReason)}</span>,
            })}
      </span>
    </p>
  );
}

/** Until a handler's "later" is over. */
function HeldNote({ queue: { heldUntil } }: { readonly queue: QueueDetailView }): ReactNode {
  const { rich } = useTexts();
  const now = useServerNow();
  if (heldUntil === null || Date.parse(heldUntil) <= now) return null;
  return (
    <p className="notice warn">
      <span>{rich("queue.held", { time: <ClockTime at={heldUntil} /> })}</span>
    </p>
  );
}

/** Jobs wait, and nobody takes any of them. In a paused queue they wait for something else first. */
function UnservedNote({ queue: { name, counts, pausedAt } }: { readonly queue: QueueDetailView }): ReactNode {
  const { t } = useTexts();
  const { data } = useWorkersQuery();
  const isServed = data?.items.some(({ queues }) => queues.includes(name)) ?? true;
  if (isServed || pausedAt !== null || counts.pending === 0) return null;
  return <p className="notice bad">{t("queue.unserved", { count: counts.pending })}</p>;
}

function Workers({ queue }: { readonly queue: string }): ReactNode {
  const { t } = useTexts();
  const { data } = useWorkersQuery();
  const serving = data?.items.filter(
    ({ queues }: WorkerView) => queues.includes(queue) || queues.includes("*"),
  );
  return (
    <section className="card">
      <div className="card-header">
        <h2>{t("queue.workers")}</h2>
      </div>
      {serving?.length === 0 && <p className="empty">{t("queue.noWorkers")}</p>}
      <ul className="plain-list">
        {serving?.map(({ id, running, concurrency }) => (
          <li key={id}>
            <Link href="/workers" className="job-text">
              {visible(id)}
            </Link>
            <span className="muted">{t("queue.slots", { running, concurrency })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Unhandled({ queue: { name: queue, unhandled } }: { readonly queue: QueueDetailView }): ReactNode {
  const { t, rich } = useTexts();
  return (
    <section className="card">
      <div className="card-header">
        <h2>{t("queue.unhandled")}</h2>
      </div>
      <ul className="plain-list">
        {unhandled.map(({ name, pending }) => (
          <li key={name}>
            <Link href={jobsPath(`queue:${filterValue(queue)} name:${filterValue(name)}`, "pending")}>
              {rich("queue.unhandled.row", {
                count: pending,
                name: <span className="job-text">{visible(name)}</span>,
              })}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
