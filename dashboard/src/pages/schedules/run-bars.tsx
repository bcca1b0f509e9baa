import type { ReactNode } from "react";
import type { ScheduleRunView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { countKinds, kindOf, RUN_KINDS, type RunKind } from "./run-kind.js";
import { RUNS_SHOWN } from "./queries.js";

const WIDTH = 5;
const STEP = 7;
const HEIGHT = 18;

/** The last runs as bars, the newest on the right. Each kind has a shape and a colour. */
export function RunBars({ runs }: { readonly runs: readonly ScheduleRunView[] }): ReactNode {
  const { t, format } = useTexts();
  if (runs.length === 0) return <span className="muted">{t("schedules.neverRan")}</span>;
  const shown = runs.slice(0, RUNS_SHOWN).reverse();
  const kinds = countKinds(shown)
    .map(({ kind, count }) => t("schedules.kindCount", { kind: t(`scheduleRun.${kind}`), count }))
    .join(", ");
  const width = shown.length * STEP - (STEP - WIDTH);
  return (
    <svg
      className="run-bars"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={t("schedules.runsOf", { count: shown.length, kinds })}
    >
      {shown.map((run, index) => (
        <g key={`${run.slot} ${run.firedAt}`} transform={`translate(${index * STEP} 0)`}>
          <title>{`${format.instant(Date.parse(run.slot))}: ${t(`scheduleRun.${kindOf(run)}`)}`}</title>
          <Bar kind={kindOf(run)} />
        </g>
      ))}
    </svg>
  );
}

/**
 * Success fills the height, a failure is broken in two, what runs or waits is half as high, what did not happen is low,
 * and what nobody made is hollow.
 */
const SHAPES: Readonly<Record<RunKind, readonly (readonly [from: number, height: number])[]>> = {
  ok: [[0, 18]],
  failed: [
    [0, 8],
    [11, 7],
  ],
  underway: [[6, 12]],
  waiting: [[10, 8]],
  skipped: [[14, 4]],
  missed: [[0.5, 17]],
  cancelled: [
    [0, 4],
    [14, 4],
  ],
  removed: [[0, 18]],
};

function Bar({ kind }: { readonly kind: RunKind }): ReactNode {
  const hollow = kind === "missed";
  return SHAPES[kind].map(([from, height]) => (
    <rect
      key={from}
      className={`run-bar ${kind}`}
      x={hollow ? 0.5 : 0}
      y={from}
      width={hollow ? WIDTH - 1 : WIDTH}
      height={height}
      rx={hollow ? 0.5 : 1}
    />
  ));
}

/** One bar beside its word. */
export function RunKindLabel({ kind }: { readonly kind: RunKind }): ReactNode {
  const { t } = useTexts();
  return (
    <span className="run-kind">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
        <Bar kind={kind} />
      </svg>
      {t(`scheduleRun.${kind}`)}
    </span>
  );
}

export function RunLegend(): ReactNode {
  const { t } = useTexts();
  return (
    <ul className="run-legend" aria-label={t("scheduleRun.legend")}>
      {RUN_KINDS.map((kind) => (
        <li key={kind}>
          <RunKindLabel kind={kind} />
        </li>
      ))}
    </ul>
  );
}
