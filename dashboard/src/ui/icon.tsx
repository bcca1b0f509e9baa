import type { ReactNode } from "react";

/** Strokes on a grid of 16, drawn for this dashboard. */
const PATHS = {
  overview: "M2.5 9.5h4v4h-4zM9.500 2.500h4v4h-4zM2.500 2.500h4v4h-4zM9.500 9.500h4v4h-4z",
  queues: "M2.5 4h11M2.500 8h11M2.500 12h7",
  jobs: "M3 2.5h10v11H3zM5.500 6h5M5.500 9h5",
  flows:
    "M2 6h4v4H2zM10.500 2h3.500v3.500h-3.500zM10.500 10.500h3.500v3.500h-3.500zM6 8h2.500M10.500 3.700h-2v8.500h2",
  dead: "M8 2.2 14.200 13.200H1.800zM8 6.500v3M8 11.300v.1",
  schedules: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.200l2.200 1.300",
  workers:
    "M4.500 4.500h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14",
  metrics: "M2.500 13.500h11M4.500 11V8M8 11V4M11.500 11V6.500",
  settings: "M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 3v3M6 10v3",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  close: "M4 4l8 8M12 4l-8 8",
  more: "M8 3.500v.1M8 8v.1M8 12.500v.1",
  check: "M3.500 8.500l3 3 6-7",
  cross: "M4.500 4.500l7 7M11.500 4.500l-7 7",
  clock: "M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11M8 5.500V8l1.800 1.200",
  play: "M5 3.500v9l7-4.500z",
  resume: "M3.500 3.500v9M7 3.500v9l6-4.500z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  minus: "M4 8h8",
  lock: "M4 7.500h8v6H4zM5.500 7.500V5.500a2.500 2.500 0 0 1 5 0v2",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9M10.300 10.300l3.200 3.200",
  plus: "M8 3v10M3 8h10",
  right: "M6 3.500 10.500 8 6 12.500",
  left: "M10 3.500 5.500 8 10 12.500",
  down: "M3.500 6 8 10.500 12.500 6",
  up: "M3.500 10 8 5.500 12.500 10",
  retry: "M13 8a5 5 0 1 1-1.600-3.700M13 2.500v3h-3",
  download: "M8 2.500v8M4.500 7.500 8 11l3.500-3.500M2.500 13.500h11",
  trash: "M3 4.500h10M6 4.500v-2h4v2M4.500 4.500l.5 9h6l.5-9",
  undo: "M3 6.500h6.500a3.500 3.500 0 0 1 0 7H6M5.500 4 3 6.500 5.500 9",
  skip: "M4 3.500v9l6-4.500zM12 3.500v9",
  edit: "M3 13l.6-2.900 7.500-7.500 2.300 2.300-7.500 7.500z",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a word. It says nothing that the word does not. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
