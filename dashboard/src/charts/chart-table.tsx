import type { ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import type { TimeChartProps } from "./chart-props.js";

/** The values of a chart for those who do not see it, the newest first. */
export function ChartTable({ title, times, lines, show }: TimeChartProps): ReactNode {
  const { t, format } = useTexts();
  const indexes = times.map((_, index) => index).reverse();
  return (
    <div className="table-frame chart-table" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t("chart.time")}</th>
            {lines.map(({ label }) => (
              <th key={label} scope="col" className="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {indexes.map((index) => (
            <tr key={times[index]}>
              <th scope="row">{format.instant(times[index] ?? 0)}</th>
              {lines.map(({ label, values }) => {
                const value = values[index];
                return (
                  <td key={label} className="number">
                    {value === null || value === undefined ? "–" : show(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
