import { useEffect, useRef, useState } from "react";
import type { Problem } from "../../api/problem.js";
import { read } from "../../api/request.js";
import type { JobPageView, JobView } from "../../api/types.js";
import { idFilters } from "../../filter/filter-text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { advance, NOTHING_HELD, shown, type HeldRows, type ListAnswer } from "./held-rows.js";
import type { JobsFilter } from "./jobs-url.js";

const EVERY_MS = 1_500;

export interface JobsList extends HeldRows {
  readonly error: Problem | null;
  /** The list of the filter is on its way, and another one is still shown. */
  readonly changing: boolean;
  /** Shows the rows as they are now. */
  readonly show: () => void;
  readonly retry: () => void;
}

/** Which page of which list a filter means. */
function listKey({ q, tab, cursor }: JobsFilter, limit: number): string {
  return JSON.stringify([q, tab, cursor, limit]);
}

/** @param isFree whether rows may come, go and move, asked whenever the list was read */
export function useJobsList(filter: JobsFilter, limit: number, isFree: () => boolean): JobsList {
  const list = listKey(filter, limit);
  const onScreen = useRef<HeldRows>(NOTHING_HELD);
  const query = useLiveQuery<ListAnswer>(
    ["jobs", list],
    async (signal) => {
      const { q, tab, state, cursor } = filter;
      const page = await read<JobPageView>("/v1/jobs", { q, state: tab, limit, cursor }, signal);
      const left = await readLeft(onScreen.current, list, page, signal);
      return { list, state, page, left, free: cursor === null && isFree() };
    },
    { topics: ["jobs"], everyMs: EVERY_MS },
  );
  const [held, setHeld] = useState(NOTHING_HELD);
  const { data } = query;
  if (data === undefined && held.answer !== null) setHeld(NOTHING_HELD);
  if (data !== undefined && data !== held.answer) setHeld(advance(held, data));
  useEffect(() => {
    onScreen.current = held;
  }, [held]);
  return {
    ...held,
    error: query.error,
    changing: query.isPlaceholderData,
    show: () => {
      if (held.answer !== null) setHeld(shown(held.answer));
    },
    retry: () => {
      void query.refetch();
    },
  };
}

/** What became of the jobs that are shown but are no longer on the page. */
async function readLeft(
  { rows, answer }: HeldRows,
  list: string,
  page: JobPageView,
  signal: AbortSignal,
): Promise<readonly JobView[]> {
  if (answer?.list !== list) return [];
  const onPage = new Set(page.items.map(({ id }) => id));
  const ids = rows.map(({ job }) => job.id).filter((id) => !onPage.has(id));
  const parts = idFilters(ids).map((q) => read<JobPageView>("/v1/jobs", { q, limit: ids.length }, signal));
  return (await Promise.all(parts)).flatMap(({ items }) => items);
}
