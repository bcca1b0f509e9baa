const UNITS = [
  ["day", 24 * 3_600_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** Such as `1 job`, `12 jobs`. */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** In the largest unit of which it has one, rounded down: `90 s` is `1 minute`. */
export function lasting(ms: number): string {
  for (const [unit, unitMs] of UNITS) if (ms >= unitMs) return counted(Math.floor(ms / unitMs), unit);
  return "less than a second";
}

/** Such as `1.2 GB`. */
export function sized(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return `${Math.floor(bytes / 1e6)} MB`;
}
