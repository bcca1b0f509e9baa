import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTexts } from "../i18n/text.js";
import { CHART_COLOURS, chartOptions } from "./chart-options.js";
import type { Line, TimeChartProps } from "./chart-props.js";
import { ChartTable } from "./chart-table.js";
import { coloursOf } from "./colours.js";
import { useThemeChange } from "./theme-change.js";

/** Lines over time, with a legend that follows the pointer, and the same as a table. */
export function TimeChart(props: TimeChartProps): ReactNode {
  const { title, lines, children } = props;
  const { t } = useTexts();
  const [asTable, setAsTable] = useState(false);
  return (
    <section className="card">
      <div className="card-header">
        <h2>{title}</h2>
        {children}
        <button
          type="button"
          className="button quiet"
          aria-pressed={asTable}
          onClick={() => {
            setAsTable(!asTable);
          }}
        >
          {asTable ? t("chart.asChart") : t("chart.asTable")}
        </button>
      </div>
      <div className="card-body">
        {asTable ? <ChartTable {...props} /> : <Canvas key={lines.length} {...props} />}
      </div>
    </section>
  );
}

function Canvas({
  title,
  times,
  lines,
  show,
  showOnAxis = show,
  logarithmic = false,
  height = 200,
}: TimeChartProps): ReactNode {
  const { t, format, zone } = useTexts();
  const theme = useThemeChange();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const data = useMemo<uPlot.AlignedData>(
    () => [
      times.map((at) => at / 1_000),
      ...lines.map(({ values }) => values.map((value) => (logarithmic && value === 0 ? null : value))),
    ],
    [times, lines, logarithmic],
  );
  // Before anything is loaded there are no times either.
  const isEmpty =
    times.length > 0 &&
    lines.every(({ values }) => values.every((value) => value === null || (logarithmic && value === 0)));
  const latest = useRef(data);
  const looks = JSON.stringify(lines.map(({ label, tone, dash, filled }) => ({ label, tone, dash, filled })));

  useEffect(() => {
    latest.current = data;
    chart.current?.setData(data);
  }, [data]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const width = element.clientWidth;
    const options = chartOptions({
      looks: JSON.parse(looks) as Omit<Line, "values">[],
      size: { width, height },
      colours: coloursOf(element, CHART_COLOURS),
      font: getComputedStyle(element).fontFamily,
      logarithmic,
      show: showOnAxis,
      format,
      zone,
      onPoint: setPointed,
    });
    const made = new uPlot(options, latest.current, element);
    chart.current = made;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) made.setSize({ width: entry.contentRect.width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      chart.current = null;
    };
    // Colours are read when it is made, so another theme makes another chart.
  }, [looks, height, logarithmic, showOnAxis, format, zone, theme]);

  return (
    <figure className="chart">
      <figcaption className="visually-hidden">{title}</figcaption>
      <Legend times={times} lines={lines} show={show} pointed={pointed} />
      <div className="chart-place">
        <div
          ref={place}
          className={isEmpty || times.length === 0 ? "chart-canvas blank" : "chart-canvas"}
          aria-hidden="true"
          style={{ minHeight: height }}
        />
        {isEmpty && <p className="chart-empty muted">{t("chart.empty")}</p>}
      </div>
    </figure>
  );
}

function Legend({
  times,
  lines,
  show,
  pointed,
}: Pick<TimeChartProps, "times" | "lines" | "show"> & { readonly pointed: number | null }): ReactNode {
  const { t, format } = useTexts();
  const index = pointed ?? times.length - 1;
  const at = times[index];
  return (
    <ul className="legend">
      {lines.map(({ label, tone, dash, values }) => {
        const value = values[index];
        return (
          <li key={label}>
            <svg width="18" height="8" aria-hidden="true">
              <line
                x1="1"
                y1="4"
                x2="17"
                y2="4"
                className={`stroke-${tone}`}
                strokeDasharray={dash?.join(" ")}
              />
            </svg>
            {label} <strong>{value === null || value === undefined ? "–" : show(value)}</strong>
          </li>
        );
      })}
      <li className="legend-time muted">
        {at !== undefined &&
          (pointed === null ? t("chart.latest", { time: format.minute(at) }) : format.minute(at))}
      </li>
    </ul>
  );
}
