import type { ReactNode } from "react";

/** What a line looks like; colour and dash both tell lines apart. */
export interface Line {
  readonly label: string;
  readonly tone: "accent" | "good" | "warn" | "bad" | "muted";
  readonly dash?: readonly number[];
  /** Whether the ground below it is coloured. */
  readonly filled?: boolean;
  /** One a point; `null` is a gap. */
  readonly values: readonly (number | null)[];
}

export interface TimeChartProps {
  readonly title: string;
  /** Instants of the points, in milliseconds, evenly spaced. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** How a value is written in the legend and in the table. */
  readonly show: (value: number) => string;
  /** How a value is written on the axis. Default: as elsewhere. */
  readonly showOnAxis?: (value: number) => string;
  /** Durations are drawn on a logarithmic axis: a p99 of a minute would flatten everything else. */
  readonly logarithmic?: boolean;
  readonly height?: number;
  /** Beside the title, such as a choice of the range. */
  readonly children?: ReactNode;
}
