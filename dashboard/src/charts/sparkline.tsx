import type { ReactNode } from "react";

const WIDTH = 96;
const HEIGHT = 24;

/** The shape of a series in the space of a word. What it shows is said elsewhere in numbers. */
export function Sparkline({
  values,
  tone = "accent",
}: {
  readonly values: readonly number[];
  readonly tone?: "accent" | "bad" | "warn" | "muted";
}): ReactNode {
  const highest = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => [
    (index * step).toFixed(1),
    (HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1),
  ]);
  const line = points.map((point) => point.join(",")).join(" ");
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon className={`fill-${tone}`} points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline className={`stroke-${tone}`} points={line} />
    </svg>
  );
}
