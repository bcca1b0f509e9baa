import { useSearchParams } from "wouter";
import type { JobState } from "../../api/types.js";
import { asState, statesOf, withoutStates } from "../../filter/filter-text.js";

/** Which jobs the address asks for. */
export interface JobsFilter {
  /** The filter as it is shown and sent. */
  readonly q: string;
  /** The state of the chosen tab, which is not in `q`. */
  readonly tab: JobState | null;
  /** What the filter says beside states: the same for all tabs. */
  readonly rest: string;
  /** The only state that it asks for, wherever it says so. */
  readonly state: JobState | null;
  /** Whether it asks for jobs of all states. */
  readonly anyState: boolean;
  readonly cursor: string | null;
}

/** A tab wins over states in the filter, so that no address asks for two states at once by accident. */
export function filterOf(parameters: URLSearchParams): JobsFilter {
  const text = parameters.get("q") ?? "";
  const tab = asState(parameters.get("state"));
  const rest = withoutStates(text);
  const states = tab === null ? statesOf(text) : [tab];
  return {
    q: tab === null ? text.trim() : rest,
    tab,
    rest,
    state: states.length === 1 ? asState(states[0] ?? null) : null,
    anyState: states.length === 0,
    cursor: parameters.get("cursor"),
  };
}

export function useJobsFilter(): JobsFilter {
  const [parameters] = useSearchParams();
  return filterOf(parameters);
}

/** The same jobs in one filter text. */
export function wholeFilter({ q, tab }: JobsFilter): string {
  return tab === null ? q : `state:${tab} ${q}`.trim();
}
