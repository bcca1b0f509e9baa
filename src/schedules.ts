import { withFaultsUnder } from "./core/faults-under.js";
import { pointerPart } from "./core/json-pointer.js";
import { parseInstant, type InstantInput } from "./core/instant.js";
import type { Enqueued } from "./core/job.js";
import { validationError } from "./core/job-request.js";
import type { Schedule, ScheduleRun, ScheduleSource } from "./core/schedule.js";
import type { EngineContext } from "./engine/context.js";
import {
  deleteSchedule,
  findSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
} from "./engine/schedules/by-hand.js";
import { upcomingRuns, type Preview } from "./engine/schedules/preview.js";
import { putSchedule } from "./engine/schedules/put.js";
import type { ScheduledJobSettings, ScheduleRequest } from "./engine/schedules/request.js";
import type { SchedulePage } from "./store/schedules.js";
import type { JobDefinition } from "./core/define-job.js";
import { jobRequestOf } from "./worker/job-request-of.js";

const MAX_PREVIEW = 1_000;

/** When a schedule makes jobs, and which. */
export interface ScheduleOptions<Payload = unknown> extends Omit<ScheduleRequest, "job"> {
  /** A definition, or a name. */
  readonly job: JobDefinition<Payload> | string;
  /** The same for every job; which slot a job is for, its handler reads from `job.schedule`. */
  readonly payload?: Payload;
  readonly settings?: ScheduledJobSettings;
}

/** A schedule of whatever payload, among others. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- handlers are contravariant in their payload, so `unknown` would refuse every typed one
export type AnyScheduleOptions = ScheduleOptions<any>;

/** Schedules, which make jobs by the clock: `konveier.schedules`. */
export class Schedules {
  constructor(private readonly context: EngineContext) {}

  /**
   * Makes a schedule, or gives the one with this key a new definition. Other times begin with the first one
   * after now; with the same times the next run stays, and writing the same again changes nothing.
   *
   * @throws KonveierError `validation_failed`, `payload_…`, `store_…`
   */
  put<Payload>(key: string, options: ScheduleOptions<Payload>): Promise<Schedule> {
    return this.#put(key, options, "api");
  }

  /** @internal what `Konveier.open` does with its `schedules`; faults begin with the key */
  async declare(schedules: Readonly<Record<string, AnyScheduleOptions>>): Promise<void> {
    for (const [key, options] of Object.entries(schedules)) {
      await withFaultsUnder(`/schedules/${pointerPart(key)}`, this.#put(key, options, "code"));
    }
  }

  /** `null` when there is no such schedule. */
  get(key: string): Promise<Schedule | null> {
    return this.context.store.schedules.get(key);
  }

  /** A page of schedules by key; hand `next` of one page to the call for the following one. */
  list({ limit = 100, after = null }: { limit?: number; after?: string | null } = {}): Promise<SchedulePage> {
    return this.context.store.schedules.list(limit, after);
  }

  /** No job is made until `resume`. @throws KonveierError `schedule_not_found` */
  pause(key: string, reason?: string): Promise<Schedule> {
    return pauseSchedule(this.context, key, reason ?? null);
  }

  /** Goes on with the first run after now. @throws KonveierError `schedule_not_found` */
  resume(key: string): Promise<Schedule> {
    return resumeSchedule(this.context, key);
  }

  /** Makes a job now, whatever the policies say. The next run stays. @throws KonveierError `schedule_not_found` */
  run(key: string): Promise<Enqueued> {
    return runSchedule(this.context, key);
  }

  /** Jobs that it made stay. @throws KonveierError `schedule_not_found` */
  delete(key: string): Promise<void> {
    return deleteSchedule(this.context, key);
  }

  /** The latest runs, newest first; `beforeSeq` goes on from an earlier page. */
  runs(
    key: string,
    { limit = 100, beforeSeq = null }: { limit?: number; beforeSeq?: number | null } = {},
  ): Promise<readonly ScheduleRun[]> {
    return this.context.store.schedules.runs(key, limit, beforeSeq);
  }

  /**
   * The next `count` runs (1 to 1000, default 20) after `after` (default: now), with notes where clocks change.
   *
   * @throws KonveierError `schedule_not_found`, `validation_failed`
   */
  async next(
    key: string,
    { count = 20, after }: { count?: number; after?: InstantInput } = {},
  ): Promise<Preview> {
    if (!Number.isSafeInteger(count) || count < 1 || count > MAX_PREVIEW) {
      const detail = `must be a whole number from 1 to ${MAX_PREVIEW}`;
      throw validationError([{ pointer: "/count", code: "out_of_range", detail }]);
    }
    const from = after === undefined ? this.context.store.now() : parseInstant(after);
    if (typeof from !== "number") {
      throw validationError([{ pointer: "/after", code: "invalid_instant", detail: from.problem }]);
    }
    return upcomingRuns(await findSchedule(this.context, key), from, count);
  }

  async #put<Payload>(
    key: string,
    { job, payload, settings, ...rest }: ScheduleOptions<Payload>,
    source: ScheduleSource,
  ): Promise<Schedule> {
    const request = await jobRequestOf(job, payload as Payload, settings ?? {});
    const { schedule } = await putSchedule(this.context, key, { ...rest, job: request }, source);
    return schedule;
  }
}
