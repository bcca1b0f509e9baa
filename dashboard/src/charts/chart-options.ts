import uPlot from "uplot";
import type { Formats } from "../i18n/format.js";
import type { Line } from "./chart-props.js";
import { durationRange, durationTicks } from "./duration-axis.js";
import { lonePoints } from "./lone-points.js";

const DAY_S = 86_400;
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the type's name for this number does not exist at run time
const LOGARITHMIC: uPlot.Scale = { distr: 3, range: (_chart, low, high) => durationRange(low, high) };
const TICK_SPACE = 32;

export const CHART_COLOURS = ["accent", "good", "warn", "bad", "muted", "line"] as const;
type ChartColour = (typeof CHART_COLOURS)[number];

interface ChartRequest {
  readonly looks: readonly Omit<Line, "values">[];
  readonly size: { readonly width: number; readonly height: number };
  readonly colours: Readonly<Record<ChartColour, string>>;
  readonly font: string;
  readonly logarithmic: boolean;
  /** How a value is written on the axis. */
  readonly show: (value: number) => string;
  readonly format: Formats;
  readonly zone: string;
  readonly onPoint: (index: number | null) => void;
}

/** The settings of a chart that looks like the rest of the page. */
export function chartOptions(request: ChartRequest): uPlot.Options {
  const { looks, size, colours, font, logarithmic, show, format, zone, onPoint } = request;
  const axis = {
    stroke: colours.muted,
    font: `11px ${font}`,
    grid: { stroke: colours.line, width: 1 },
    ticks: { show: false },
  };
  return {
    ...size,
    legend: { show: false },
    // To the right, room for half of the last time.
    padding: [8, 18, 0, 0],
    ...(zone !== "local" && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), zone) }),
    scales: {
      x: { time: true },
      y: logarithmic ? LOGARITHMIC : { range: (_chart, _low, high) => [0, nice(high)] },
    },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 64,
        values: (chart, splits) => splits.map((at) => timeLabel(at, chart, format)),
      },
      {
        ...axis,
        size: 58,
        space: TICK_SPACE,
        ...(logarithmic && {
          splits: (chart, _axis, start, end) =>
            durationTicks(start, end, Math.floor(chart.height / TICK_SPACE)),
          // All of them are written: by itself it would leave out what is no power of ten.
          filter: (_chart, splits) => splits,
        }),
        values: (_chart, splits) => splits.map((value) => (isWritten(value, splits) ? show(value) : "")),
      },
    ],
    series: [
      {},
      ...looks.map(({ label, tone, dash, filled }) => ({
        label,
        stroke: colours[tone],
        width: 1.75,
        points: { show: false, filter: (chart: uPlot, index: number) => lonePoints(chart.data[index] ?? []) },
        spanGaps: false,
        ...(dash !== undefined && { dash: [...dash] }),
        ...(filled === true && { fill: `color-mix(in oklch, ${colours[tone]} 12%, transparent)` }),
      })),
    ],
    hooks: {
      setCursor: [
        (chart) => {
          onPoint(chart.cursor.idx ?? null);
        },
      ],
    },
  };
}

/** Room above the highest value, and an axis that is not flat when there is nothing. */
function nice(high: number): number {
  return Number.isFinite(high) && high > 0 ? high * 1.08 : 1;
}

/** Counts are whole: 0.5 jobs are none. */
function isWritten(value: number, splits: readonly number[]): boolean {
  return Number.isInteger(value) || splits.every((split) => split < 1);
}

function timeLabel(at: number, chart: uPlot, format: Formats): string {
  const { min, max } = chart.scales["x"] ?? {};
  const span = (max ?? 0) - (min ?? 0);
  return span > 2 * DAY_S ? format.day(at * 1_000) : format.minute(at * 1_000);
}
