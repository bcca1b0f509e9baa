import type { ReactNode } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useQueuesQuery } from "../../api/queries.js";
import { ActivityChart } from "../../charts/activity-chart.js";
import { DurationChart } from "../../charts/duration-chart.js";
import { RangePicker, useRange } from "../../charts/range-picker.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { NameTable } from "./name-table.js";

/** Charts from what the server keeps, without Prometheus. */
export function MetricsPage(): ReactNode {
  const { t } = useTexts();
  usePageTitle([t("nav.metrics")]);
  const range = useRange();
  const [parameters] = useSearchParams();
  const queue = parameters.get("queue");
  const name = parameters.get("name");
  const of = { ...(queue !== null && { queue }), ...(name !== null && { name }) };
  return (
    <div className="page">
      <header className="page-header">
        <h1>{t("nav.metrics")}</h1>
        <QueueChoice />
        <RangePicker />
      </header>
      <ActivityChart of={of} range={range} />
      <div className="columns">
        <DurationChart metric="wait" of={of} range={range} />
        <DurationChart metric="run" of={of} range={range} />
        <DurationChart metric="lag" of={of} range={range} />
      </div>
      <NameTable queue={queue} range={range} />
      <p className="muted">{t("metrics.estimates")}</p>
    </div>
  );
}

function QueueChoice(): ReactNode {
  const { t } = useTexts();
  const [location, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const { data } = useQueuesQuery();
  const chosen = parameters.get("queue") ?? "";
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
      <option value="">{t("metrics.allQueues")}</option>
      {data?.items.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
