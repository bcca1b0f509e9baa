import type { ListedSchedule } from "./queries.js";
import { STATUSES, statusOf, type ScheduleStatus } from "./status.js";

/** What of the list is shown, and in which order. It is in the address of the page. */
export interface Listing {
  readonly status: ScheduleStatus | null;
  readonly text: string;
  readonly sort: "key" | "next";
}

export function listingOf(parameters: URLSearchParams): Listing {
  const status = parameters.get("state");
  return {
    status: STATUSES.find((known) => known === status) ?? null,
    text: parameters.get("q") ?? "",
    sort: parameters.get("sort") === "next" ? "next" : "key",
  };
}

export function shownOf(
  items: readonly ListedSchedule[],
  { status, text, sort }: Listing,
): readonly ListedSchedule[] {
  const shown = matching(items, text).filter((item) => status === null || statusOf(item) === status);
  return sort === "key" ? shown : shown.toSorted((one, other) => nextOf(one) - nextOf(other));
}

/** Those whose key, job or queue contains a text, in any case. */
export function matching(items: readonly ListedSchedule[], text: string): readonly ListedSchedule[] {
  const wanted = text.trim().toLowerCase();
  return items.filter(({ key, job }) =>
    [key, job.name, job.queue].some((known) => known.toLowerCase().includes(wanted)),
  );
}

/** What has no next run comes last. */
function nextOf({ nextRunAt }: ListedSchedule): number {
  return nextRunAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(nextRunAt);
}
