import type { JobPageView, JobState, JobView } from "../../api/types.js";

/** What was read for a list: its page, and jobs that are still on the screen but no longer on that page. */
export interface ListAnswer {
  /** Which list this is: the filter and the place in it. */
  readonly list: string;
  readonly state: JobState | null;
  readonly page: JobPageView;
  readonly left: readonly JobView[];
  /** Whether rows may come, go and move. */
  readonly free: boolean;
}

export interface Row {
  readonly job: JobView;
  /** It was deleted, or is in another state than the list asks for. */
  readonly gone: boolean;
  /** It is no job any more: nothing can be done with it. */
  readonly deleted: boolean;
}

/** What is on the screen. It follows the list while nobody is at work on it; otherwise the rows keep their places. */
export interface HeldRows {
  readonly answer: ListAnswer | null;
  readonly rows: readonly Row[];
  /** Jobs of the page that are not shown yet, and shown ones that no longer belong there. */
  readonly fresh: number;
  readonly gone: number;
}

export const NOTHING_HELD: HeldRows = { answer: null, rows: [], fresh: 0, gone: 0 };

/** What is on the screen once another answer is there. */
export function advance(held: HeldRows, answer: ListAnswer): HeldRows {
  if (answer.free || held.answer?.list !== answer.list) return shown(answer);
  const { page, left, state } = answer;
  const known = new Map([...left, ...page.items].map((job) => [job.id, job]));
  const rows = held.rows.map((row): Row => {
    const job = known.get(row.job.id);
    if (job === undefined) return { job: row.job, gone: true, deleted: true };
    return { job, gone: state !== null && job.state !== state, deleted: false };
  });
  const ids = new Set(rows.map(({ job }) => job.id));
  return {
    answer,
    rows,
    fresh: page.items.filter(({ id }) => !ids.has(id)).length,
    gone: rows.filter(({ gone }) => gone).length,
  };
}

/** The rows of the answer, as they come. */
export function shown(answer: ListAnswer): HeldRows {
  return {
    answer,
    rows: answer.page.items.map((job) => ({ job, gone: false, deleted: false })),
    fresh: 0,
    gone: 0,
  };
}
