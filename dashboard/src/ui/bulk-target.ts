import { readJobCounts, sumOf, type StateCount } from "../api/job-counts.js";
import { send } from "../api/request.js";
import type { BulkAction, BulkPreviewView, JobState, JobView } from "../api/types.js";
import { statesOf, termsOf, withoutStates } from "../filter/filter-text.js";
import { BULK_ACTIONS } from "../../../src/core/bulk-action.js";

/** What an action on many jobs is for: rows that were ticked, or all that a filter matches. */
export type BulkTarget =
  | { readonly kind: "rows"; readonly jobs: readonly JobView[] }
  | { readonly kind: "filter"; readonly q: string };

/** Jobs a second. */
export const RATES = [10, 50, 500, 5_000] as const;

/** What would happen, and how many of which state. */
export interface PreviewedBulk {
  readonly preview: BulkPreviewView;
  readonly states: Readonly<Partial<Record<JobState, StateCount>>>;
  /** Jobs that were meant, but are in a state that does not allow the action. `null`: unknown. */
  readonly skipped: number | null;
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
    const states = (await readCountsOf(preview.q, signal).catch(() => null)) ?? {};
    const agrees = sumOf(Object.values(states)).count === preview.matched;
    return { preview, states: agrees ? states : {}, skipped: target.jobs.length - preview.matched };
  }
  // The numbers by state explain the preview; without them it still holds.
  const [meant, asked] = await Promise.all(
    [preview.q, target.q].map((q) => readCountsOf(q, signal).catch(() => null)),
  );
  const all = asked == null ? null : sumOf(Object.values(asked));
  const known = all !== null && !all.capped && !preview.capped;
  return {
    preview,
    states: meant ?? {},
    skipped: known ? Math.max(0, all.count - preview.matched) : null,
  };
}

/** The numbers are told for all states of a filter that names none: those that it asks for are taken of them. */
async function readCountsOf(q: string, signal: AbortSignal): Promise<PreviewedBulk["states"] | null> {
  if (termsOf(q).some(({ text }) => text.startsWith("-state:"))) return null;
  const { states } = await readJobCounts(withoutStates(q), signal);
  const asked = statesOf(q);
  if (asked.length === 0) return states;
  return Object.fromEntries(Object.entries(states).filter(([state]) => asked.includes(state)));
}
