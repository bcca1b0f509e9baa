import type { ReactNode } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useIsLimited, useQueuesQuery } from "../../api/queries.js";
import { ActivityChart } from "../../charts/activity-chart.js";
import { DurationChart } from "../../charts/duration-chart.js";
import { RangePicker, useRange } from "../../charts/range-picker.js";
import type { RangeName } from "../../charts/ranges.js";
import type { SeriesOf } from "../../charts/series.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { visible } from "../../ui/visible.js";
import { NameTable } from "./name-table.js";

/** Charts from what the server keeps, without Prometheus. */
export function MetricsPage(): ReactNode {
  const { t } = useTexts();
  usePageTitle([t("nav.metrics")]);
  const range = useRange();
  const [parameters] = useSearchParams();
  const isLimited = useIsLimited();
  const { data: queues } = useQueuesQuery();
  // Whoever may not see all of them begins with the first.
  const first = isLimited === true ? (queues?.items[0]?.name ?? null) : null;
  const queue = parameters.get("queue") ?? first;
  const hasNone = isLimited === true && queue === null && queues !== undefined;
  const isUnknown = queue !== null && queues?.items.every(({ name }) => name !== queue) === true;
  const name = parameters.get("name");
  const of = { ...(queue !== null && { queue }), ...(name !== null && { name }) };
  return (
    <div className="page">
      <header className="page-header">
        <h1>{t("nav.metrics")}</h1>
        {!hasNone && <QueueChoice chosen={queue ?? ""} hasAll={isLimited !== true} />}
        <RangePicker />
      </header>
      {isUnknown && <p className="notice warn">{t("queue.notFound")}</p>}
      {hasNone ? <p className="notice">{t("queues.none")}</p> : <Figures of={of} range={range} />}
    </div>
  );
}

function Figures({ of, range }: { readonly of: SeriesOf; readonly range: RangeName }): ReactNode {
  const { t } = useTexts();
  const isLimited = useIsLimited();
  const { queue = null } = of;
  return (
    <>
      <ActivityChart of={of} range={range} />
      <div className="columns">
        <DurationChart metric="wait" of={of} range={range} />
        <DurationChart metric="run" of={of} range={range} />
        <DurationChart metric="lag" of={of} range={range} />
      </div>
      {(queue !== null || isLimited === false) && <NameTable queue={queue} range={range} />}
      <p className="muted">{t("metrics.estimates")}</p>
    </>
  );
}

function QueueChoice({ chosen, hasAll }: { readonly chosen: string; readonly hasAll: boolean }): ReactNode {
  const { t } = useTexts();
  const [location, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const names = useQueuesQuery().data?.items.map(({ name }) => name) ?? [];
  // The address may name a queue that is not there: the figures are those of its name all the same.
  const isListed = chosen === "" || names.includes(chosen);
  return (
    <select
      className="input metrics-queue"
      aria-label={t("queues.name")}
      value={chosen}
      onChange={({ target }) => {
        const next = new URLSearchParams(parameters);
        next.delete("name");
        if (target.value === "") next.delete("queue");
        else next.set("queue", target.value);
        navigate(`${location}?${next.toString()}`, { replace: true });
      }}
    >
      {hasAll && <option value="">{t("metrics.allQueues")}</option>}
      {[...(isListed ? [] : [chosen]), ...names].map((name) => (
        <option key={name} value={name}>
          {visible(name)}
        </option>
      ))}
    </select>
  );
}
