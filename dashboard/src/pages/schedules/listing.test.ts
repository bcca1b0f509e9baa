import { expect, it } from "vitest";
import { listingOf, shownOf } from "./listing.js";
import type { ListedSchedule } from "./queries.js";

function schedule(key: string, over: Partial<ListedSchedule> = {}): ListedSchedule {
  const job = { queue: "Emails", name: "email.send" };
  const nextRunAt = "2026-01-05T09:00:00.000Z";
  return { key, job, nextRunAt, pausedAt: null, problem: null, ...over } as ListedSchedule;
}

const later = schedule("a", { nextRunAt: "2026-01-06T09:00:00.000Z" });
const paused = schedule("b", { nextRunAt: null, pausedAt: "2026-01-05T09:00:00.000Z" });
const soon = schedule("c");
const ALL = [later, paused, soon];

it.each([
  ["", [later, paused, soon]],
  ["sort=next", [soon, later, paused]],
  ["state=paused", [paused]],
  ["state=active", [later, soon]],
  ["state=nonsense", ALL],
  ["q=EMAILS", ALL],
  ["q=c", [soon]],
  ["q=nothing", []],
])("?%s", (query, expected) => {
  expect(shownOf(ALL, listingOf(new URLSearchParams(query)))).toEqual(expected);
});
