import { readJobCounts, sumOf, type StateCount } from "../api/job-counts.js";
import { read, send } from "../api/request.js";
import type {
  BulkAction,
  BulkPreviewView,
  DeadGroupListView,
  DeadGroupView,
  JobPageView,
  JobState,
  JobView,
} from "../api/types.js";
import { idFilters, statesOf, termsOf, withoutStates } from "../filter/filter-text.js";
import { BULK_ACTIONS } from "../../../src/core/bulk-action.js";

/** What an action on many jobs is for: rows that were ticked, or all that a filter matches. */
export type BulkTarget =
  | { readonly kind: "rows"; readonly jobs: readonly JobView[] }
  | { readonly kind: "filter"; readonly q: string; readonly dead?: DeadSelection };

/** Dead jobs whose errors are counted before something is done with them. Empty texts: any. */
export interface DeadSelection {
  readonly queue: string;
  readonly name: string;
  /** Only those that died of this. */
  readonly fingerprint?: string;
}

/** So many jobs of a retry are looked at before it, and followed after it: one filter takes their ids. */
const FOLLOWED = 50;
const MOST_ERRORS = 100;

/** Jobs a second. */
export const RATES = [10, 50, 500, 5_000] as const;

/** What would happen, and how many of which state. */
export interface PreviewedBulk {
  readonly preview: BulkPreviewView;
  readonly states: Readonly<Partial<Record<JobState, StateCount>>>;
  /** Jobs that were meant, but are in a state that does not allow the action. `null`: unknown. */
  readonly skipped: number | null;
  /** Rows that were ticked, but are no job any more. */
  readonly gone: number;
  /** Jobs of a retry as they are before it; all of them, where they are not many. */
  readonly jobs: readonly JobView[];
  /** What the dead ones died of. `null`: unknown. */
  readonly errors: readonly DeadGroupView[] | null;
}

/** Every job in a state that allows the action, where no filter says less: a filter must say something. */
function targetFilter(action: BulkAction, q: string): string {
  return q === "" ? `state:${BULK_ACTIONS[action].join(",")}` : q;
}

/** @throws Problem */
export async function readBulkPreview(
  action: BulkAction,
  target: BulkTarget,
  signal: AbortSignal,
): Promise<PreviewedBulk> {
  const body =
    target.kind === "rows"
      ? { action, ids: target.jobs.map(({ id }) => id) }
      : { action, q: targetFilter(action, target.q) };
  const preview = await send<BulkPreviewView>("/v1/jobs/bulk/preview", { method: "POST", body });
  if (target.kind === "rows") {
    // As they are now: the rows may have been ticked a while ago.
    const [meant, there] = await Promise.all([
      readCountsOf(preview.q, signal).catch(() => null),
      countJobs(target.jobs, signal).catch(() => null),
    ]);
    const states = meant ?? {};
    const agrees = sumOf(Object.values(states)).count === preview.matched;
    return {
      preview,
      states: agrees ? states : {},
      skipped: there === null ? null : Math.max(0, there - preview.matched),
      gone: there === null ? 0 : target.jobs.length - there,
      jobs:
        action === "retry"
          ? target.jobs.filter(({ state }) => state === "dead" || state === "cancelled").slice(0, FOLLOWED)
          : [],
      errors: null,
    };
  }
  // The rest explains the preview; without it, it still holds.
  const [meant, asked, jobs, errors] = await Promise.all([
    readCountsOf(preview.q, signal).catch(() => null),
    readCountsOf(target.q, signal).catch(() => null),
    action === "retry" ? readJobsOf(preview, signal).catch(() => preview.samples) : [],
    target.dead === undefined ? null : readErrorsOf(target.dead, signal).catch(() => null),
  ]);
  const all = asked == null ? null : sumOf(Object.values(asked));
  const known = all !== null && !all.capped && !preview.capped;
  return {
    preview,
    states: meant ?? {},
    skipped: known ? Math.max(0, all.count - preview.matched) : null,
    gone: 0,
    jobs,
    errors,
  };
}

/** How many of them there are still. */
async function countJobs(jobs: readonly JobView[], signal: AbortSignal): Promise<number> {
  const parts = idFilters(jobs.map(({ id }) => id)).map((q) => readJobCounts(q, signal));
  const states = (await Promise.all(parts)).flatMap((part) => Object.values(part.states));
  return sumOf(states).count;
}

async function readJobsOf({ q }: BulkPreviewView, signal: AbortSignal): Promise<readonly JobView[]> {
  return (await read<JobPageView>("/v1/jobs", { q, limit: FOLLOWED }, signal)).items;
}

/** @returns `null`: a part of them only, which would pass for all */
async function readErrorsOf(
  { queue, name, fingerprint }: DeadSelection,
  signal: AbortSignal,
): Promise<readonly DeadGroupView[] | null> {
  const asked = { queue, name, limit: MOST_ERRORS };
  const { items, more } = await read<DeadGroupListView>("/v1/dead/groups", asked, signal);
  if (fingerprint === undefined) return more ? null : items;
  return items.filter((group) => group.fingerprint === fingerprint);
}

/** The numbers are told for all states of a filter that names none: those that it asks for are taken of them. */
async function readCountsOf(q: string, signal: AbortSignal): Promise<PreviewedBulk["states"] | null> {
  if (termsOf(q).some(({ text }) => text.startsWith("-state:"))) return null;
  const { states } = await readJobCounts(withoutStates(q), signal);
  const asked = statesOf(q);
  if (asked.length === 0) return states;
  return Object.fromEntries(Object.entries(states).filter(([state]) => asked.includes(state)));
}
