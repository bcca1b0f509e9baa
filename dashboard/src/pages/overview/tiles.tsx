import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ActivitySeriesView, OverviewView, WorkerView } from "../../api/types.js";
import { Sparkline } from "../../charts/sparkline.js";
import { useTexts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { Age } from "../../ui/time.js";

interface TilesProps {
  readonly overview: OverviewView;
  readonly activity: ActivitySeriesView | undefined;
  readonly workers: readonly WorkerView[] | undefined;
}

/** The numbers that say how it goes. Each is a link to what it counts. */
export function Tiles({ overview: { all }, activity, workers }: TilesProps): ReactNode {
  const { t, rich, format } = useTexts();
  const { counts, lastHour, oldestPendingAt } = all;
  const failed = lastHour.attempts.failed + lastHour.attempts.timedOut + lastHour.attempts.lost;
  const ended = failed + lastHour.attempts.succeeded;
  const slots = workers?.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const points = activity?.points.slice(0, -1) ?? [];
  return (
    <div className="tiles">
      <Tile
        title={t("overview.pending")}
        value={counts.pending}
        href={jobsPath("", "pending")}
        note={
          oldestPendingAt === null
            ? t("overview.noWait")
            : rich("overview.oldest", { age: <Age since={oldestPendingAt} /> })
        }
      />
      <Tile
        title={t("overview.running")}
        value={counts.running}
        href={jobsPath("", "running")}
        note={
          slots === undefined
            ? ""
            : slots === 0
              ? t("overview.noWorkers")
              : t("overview.slots", { count: slots })
        }
      />
      <Tile
        title={t("overview.scheduled")}
        value={counts.scheduled}
        href={jobsPath("", "scheduled")}
        note={t("overview.scheduledNote")}
      />
      <Tile
        title={t("overview.finished")}
        value={lastHour.jobs.completed}
        href={jobsPath("", "completed")}
        note={t("overview.perHour")}
        line={<Sparkline values={points.map(({ jobs }) => jobs.completed)} />}
      />
      <Tile
        title={t("overview.failed")}
        value={failed}
        href="/metrics-ui"
        note={t("overview.failedShare", { share: format.percent(ended === 0 ? 0 : failed / ended) })}
        line={
          <Sparkline
            tone="warn"
            values={points.map(({ attempts }) => attempts.failed + attempts.timedOut + attempts.lost)}
          />
        }
      />
      <Tile
        title={t("overview.deadNow")}
        value={counts.dead}
        href="/dead"
        note={t("overview.deadHour", { count: lastHour.jobs.dead })}
        line={<Sparkline tone="bad" values={points.map(({ jobs }) => jobs.dead)} />}
      />
    </div>
  );
}

interface TileProps {
  readonly title: string;
  readonly value: number;
  readonly note: ReactNode;
  readonly href: string;
  readonly line?: ReactNode;
}

function Tile({ title, value, note, href, line }: TileProps): ReactNode {
  const { format } = useTexts();
  return (
    <Link href={href} className="tile card">
      <span className="tile-title">{title}</span>
      <span className="tile-value" title={format.number(value)}>
        {format.compact(value)}
      </span>
      <span className="tile-note">{note}</span>
      {line}
    </Link>
  );
}
