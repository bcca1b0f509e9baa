/** What one check has found. */
export interface Finding {
  /** Stable name of the check, such as `disk`. */
  readonly check: string;
  /** `fault`: it does not work, or is not safe. `warning`: it works, and will not forever or not well. */
  readonly verdict: "ok" | "warning" | "fault";
  readonly found: string;
  /** What to do; `null` when there is nothing to do. */
  readonly advice: string | null;
}

export function ok(check: string, found: string): Finding {
  return { check, verdict: "ok", found, advice: null };
}

export function warning(check: string, found: string, advice: string): Finding {
  return { check, verdict: "warning", found, advice };
}

export function fault(check: string, found: string, advice: string): Finding {
  return { check, verdict: "fault", found, advice };
}
