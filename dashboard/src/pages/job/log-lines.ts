import type { LogLineView } from "../../api/types.js";

export const LEVELS = ["debug", "info", "warn", "error"] as const satisfies LogLineView["level"][];
export type Level = (typeof LEVELS)[number];

/** Which lines are shown. */
export interface LogFilter {
  readonly level: Level;
  /** `null`: all. */
  readonly attempt: number | null;
}

/** The filter that stands in an address; what is not understood is left out. */
export function logFilterOf(parameters: URLSearchParams): LogFilter {
  const attempt = Number(parameters.get("attempt"));
  return {
    level: LEVELS.find((level) => level === parameters.get("level")) ?? "debug",
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : null,
  };
}

/** The lines of the level and of worse ones. */
export function shownLines(lines: readonly LogLineView[], { level, attempt }: LogFilter): LogLineView[] {
  const least = LEVELS.indexOf(level);
  return lines.filter(
    (line) => LEVELS.indexOf(line.level) >= least && (attempt === null || line.attempt === attempt),
  );
}

/** Lines with lines of the same attempt. */
export function byAttempt(
  lines: readonly LogLineView[],
): { readonly attempt: number; readonly lines: LogLineView[] }[] {
  const groups: { attempt: number; lines: LogLineView[] }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last?.attempt === line.attempt) last.lines.push(line);
    else groups.push({ attempt: line.attempt, lines: [line] });
  }
  return groups;
}

/** For a terminal or a ticket. */
export function logText(lines: readonly LogLineView[]): string {
  return lines
    .map(
      ({ at, level, attempt, message }) => `${at} ${level.toUpperCase().padEnd(5)} #${attempt} ${message}\n`,
    )
    .join("");
}
