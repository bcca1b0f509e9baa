import { MAX_LOG_LINES } from "../core/defaults.js";
import type { NewLogLine } from "./claims.js";

/** Those lines that a log of `length` lines still has room for. The last one that it can hold says that it is full. */
export function keptLines(length: number, lines: readonly NewLogLine[]): NewLogLine[] {
  const kept = lines.slice(0, Math.max(0, MAX_LOG_LINES - length));
  if (length + kept.length === MAX_LOG_LINES && kept.length > 0) kept[kept.length - 1] = LIMIT_REACHED;
  return kept;
}

const LIMIT_REACHED: NewLogLine = {
  level: "warn",
  message: `The log of this job is full (${MAX_LOG_LINES} lines); later lines are dropped.`,
};
