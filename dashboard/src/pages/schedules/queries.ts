import type { UseQueryResult } from "@tanstack/react-query";
import type { Problem } from "../../api/problem.js";
import { memberText } from "../../api/raw-json.js";
import { read, readVersionedText } from "../../api/request.js";
import type { ScheduleDetailView, ScheduleRunView, ScheduleView } from "../../api/types.js";
import { useLiveQuery } from "../../live/use-live-query.js";

/** Runs that a list shows of each schedule. */
export const RUNS_SHOWN = 30;
const PAGE = 100;
/** The server keeps no more than that. */
const RUNS_KEPT = 100;

/** A schedule of a list; older servers do not tell its runs there. */
export type ListedSchedule = ScheduleView & { readonly runs?: readonly ScheduleRunView[] };

export interface SchedulePage {
  readonly items: readonly ListedSchedule[];
  readonly nextCursor: string | null;
}

export function useSchedules(cursor: string | null): UseQueryResult<SchedulePage, Problem> {
  return useLiveQuery(["schedules", cursor], (signal) => readPage(cursor, signal), {
    topics: ["schedules", "jobs"],
    everyMs: 5_000,
  });
}

async function readPage(cursor: string | null, signal: AbortSignal): Promise<SchedulePage> {
  const query = { limit: PAGE, cursor, runs: RUNS_SHOWN };
  return read<SchedulePage>("/v1/schedules", query, signal);
}

/** A schedule as it was read: an edit names the tag, and the payload keeps its text. */
export interface ReadSchedule {
  readonly schedule: ScheduleDetailView;
  readonly payload: string;
  readonly etag: string | null;
}

export function useSchedule(key: string): UseQueryResult<ReadSchedule, Problem> {
  return useLiveQuery(["schedule", key], (signal) => readSchedule(key, signal), {
    topics: ["schedules"],
    everyMs: 2_000,
  });
}

export async function readSchedule(key: string, signal?: AbortSignal): Promise<ReadSchedule> {
  const { value, etag } = await readVersionedText(scheduleAddress(key), signal);
  const schedule = JSON.parse(value) as ScheduleDetailView;
  return { schedule, payload: memberText(value, "payload") ?? "null", etag };
}

export function useScheduleRuns(
  key: string,
): UseQueryResult<{ readonly items: readonly ScheduleRunView[] }, Problem> {
  return useLiveQuery(
    ["schedule-runs", key],
    (signal) =>
      read<{ items: ScheduleRunView[] }>(`${scheduleAddress(key)}/runs`, { limit: RUNS_KEPT }, signal),
    { topics: ["schedules", "jobs"], everyMs: 3_000 },
  );
}

/** Where the server has a schedule, and what can be done with it. */
export function scheduleAddress(key: string): string {
  return `/v1/schedules/${encodeURIComponent(key)}`;
}
