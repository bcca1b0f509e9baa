import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { NoContent } from "../../api/fields.js";
import { EnqueuedJobView } from "../../api/job.js";
import { PauseBody } from "../../api/queue.js";
import {
  DEFAULT_PREVIEW,
  DEFAULT_SCHEDULE_PAGE,
  PreviewBody,
  PreviewView,
  ScheduleBody,
  ScheduleDetailView,
  ScheduleListQuery,
  SchedulePageQuery,
  SchedulePageView,
  ScheduleParams,
  ScheduleRunPageView,
  ScheduleView,
  type ScheduleItemView,
  type ScheduleRunView,
} from "../../api/schedule.js";
import { parseInstant } from "../../core/instant.js";
import { validationError } from "../../core/job-request.js";
import type { Schedule, ScheduleRun } from "../../core/schedule.js";
import type { EngineContext } from "../../engine/context.js";
import {
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
} from "../../engine/schedules/by-hand.js";
import { preview, upcomingRuns, type Preview } from "../../engine/schedules/preview.js";
import { putSchedule } from "../../engine/schedules/put.js";
import type { SchedulePage } from "../../store/schedules.js";
import type { Store } from "../../store/store.js";
import { identityOf } from "../access/guard.js";
import { covers, requireQueuesOf, versionOfOwnSchedule, visibleSchedule } from "../access/queue-limits.js";
import type { App } from "../app.js";
import { decodePlace, encodePlace } from "../cursor.js";
import { checkPresence, expectedVersion, tag } from "../etag.js";
import type { Services } from "../services.js";
import { enqueuedJobView } from "../views/job.js";
import { previewView, scheduleDetailText, scheduleRunView, scheduleView } from "../views/schedule.js";

const tags = ["schedules"];
const problems = ["schedule_not_found"] as const;
/** Schedules that are read for a limited token before others have a turn. */
const READ_AT_ONCE = 500;

export function scheduleRoutes(app: App, services: Services): void {
  scheduleReadRoutes(app, services);
  scheduleRunRoute(app, services);
  schedulePreviewRoute(app, services);
  scheduleEditRoutes(app, services);
  scheduleVerbRoutes(app, services);
}

function scheduleReadRoutes(app: App, { context, signer }: Services): void {
  const { store } = context;

  app.get(
    "/v1/schedules",
    {
      schema: {
        operationId: "listSchedules",
        summary: "Schedules by key, a page at a time.",
        tags,
        querystring: ScheduleListQuery,
        response: { 200: SchedulePageView },
      },
      config: { access: "read", problems: ["bad_cursor"] },
    },
    async (request) => {
      const { cursor, limit = DEFAULT_SCHEDULE_PAGE, runs = 0 } = request.query;
      const after = cursor === undefined ? null : decodePlace(signer, "schedules", cursor);
      const { items, next } = await visiblePage(store, request, limit, after);
      return {
        items: runs === 0 ? items.map(scheduleView) : await withRuns(store, request, items, runs),
        nextCursor: next === null ? null : encodePlace(signer, "schedules", next),
      };
    },
  );

  app.get(
    "/v1/schedules/:key",
    {
      schema: {
        operationId: "getSchedule",
        summary: "One schedule with its next runs.",
        tags,
        params: ScheduleParams,
        response: { 200: ScheduleDetailView },
      },
      config: { access: "read", problems },
    },
    async (request, reply) => {
      const schedule = await visibleSchedule(context, request, request.params.key);
      tag(reply, schedule.version);
      return sendDetail(reply, context, schedule);
    },
  );
}

/** A cursor can be read, so a page of a limited token ends at a schedule that the token covers. */
async function visiblePage(
  store: Store,
  request: FastifyRequest,
  limit: number,
  after: string | null,
): Promise<SchedulePage> {
  if (identityOf(request).queues === null) return store.schedules.list(limit, after);
  const visible: Schedule[] = [];
  for (let from = after; ;) {
    const { items, next } = await store.schedules.list(READ_AT_ONCE, from);
    visible.push(...items.filter(({ job }) => covers(request, job.queue)));
    if (visible.length > limit) {
      const page = visible.slice(0, limit);
      return { items: page, next: page.at(-1)?.key ?? null };
    }
    if (next === null) return { items: visible, next };
    from = next;
    await nextTurn();
  }
}

/** One reading for the whole page. */
async function withRuns(
  store: Store,
  request: FastifyRequest,
  schedules: readonly Schedule[],
  limit: number,
): Promise<ScheduleItemView[]> {
  const keys = schedules.map(({ key }) => key);
  const runs = await store.schedules.latestRuns(keys, limit);
  return Promise.all(
    schedules.map(async (schedule) => ({
      ...scheduleView(schedule),
      runs: await visibleRuns(store, request, runs.get(schedule.key) ?? []),
    })),
  );
}

/** A schedule may have been moved here: of jobs in a queue that the token does not cover, neither id nor state is told. */
async function visibleRuns(
  store: Store,
  request: FastifyRequest,
  runs: readonly ScheduleRun[],
): Promise<ScheduleRunView[]> {
  if (identityOf(request).queues === null) return runs.map(scheduleRunView);
  return Promise.all(
    runs.map(async (run) => {
      const job = run.jobId === null ? null : await store.jobs.get(run.jobId);
      const isVisible = job !== null && covers(request, job.queue);
      return scheduleRunView(isVisible ? run : { ...run, jobId: null, jobState: null });
    }),
  );
}

function scheduleRunRoute(app: App, { context, signer }: Services): void {
  const { store } = context;

  app.get(
    "/v1/schedules/:key/runs",
    {
      schema: {
        operationId: "listScheduleRuns",
        summary: "What became of the schedule's slots, newest first.",
        tags,
        params: ScheduleParams,
        querystring: SchedulePageQuery,
        response: { 200: ScheduleRunPageView },
      },
      config: { access: "read", problems: [...problems, "bad_cursor"] },
    },
    async (request) => {
      const { key } = await visibleSchedule(context, request, request.params.key);
      const list = `runs of ${key}`;
      const { cursor, limit = DEFAULT_SCHEDULE_PAGE } = request.query;
      const before = cursor === undefined ? null : Number(decodePlace(signer, list, cursor));
      const runs = await store.schedules.runs(key, limit + 1, before);
      const items = runs.slice(0, limit);
      const last = items.at(-1);
      return {
        items: await visibleRuns(store, request, items),
        nextCursor:
          runs.length > limit && last !== undefined ? encodePlace(signer, list, String(last.seq)) : null,
      };
    },
  );
}

function schedulePreviewRoute(app: App, { context: { store } }: Services): void {
  app.post(
    "/v1/schedules/preview",
    {
      schema: {
        operationId: "previewSchedule",
        summary: "When a cron expression would run. Nothing is kept.",
        tags,
        body: PreviewBody,
        response: { 200: PreviewView },
      },
      config: { access: "read", audited: false },
    },
    ({ body }) => {
      const after = body.after === undefined ? store.now() : parseInstant(body.after);
      if (typeof after !== "number") {
        throw validationError([{ pointer: "/after", code: "invalid_instant", detail: after.problem }]);
      }
      return previewView(preview(body.cron, body.timezone, after, body.count ?? DEFAULT_PREVIEW));
    },
  );
}

function scheduleEditRoutes(app: App, { context }: Services): void {
  app.put(
    "/v1/schedules/:key",
    {
      schema: {
        operationId: "putSchedule",
        summary: "Make or replace a schedule, with If-Match only as it was read.",
        tags,
        params: ScheduleParams,
        body: ScheduleBody,
        response: { 200: ScheduleDetailView, 201: ScheduleDetailView },
      },
      config: {
        access: "operate",
        problems: ["etag_mismatch"],
        auditDetail: ({ body }) => {
          const { cron, everyMs, timezone, job } = body as ScheduleBody;
          return JSON.stringify({ cron, everyMs, timezone, queue: job.queue, name: job.name });
        },
      },
    },
    async (request, reply) => {
      const { key } = request.params;
      requireQueuesOf(request, request.body.job);
      const own = await versionOfOwnSchedule(context, request, key);
      await checkPresence(request, () => context.store.schedules.get(key));
      const put = await putSchedule(context, key, request.body, "api", expectedVersion(request) ?? own);
      tag(reply, put.schedule.version);
      reply
        .code(put.outcome === "created" ? 201 : 200)
        .header("Location", `/v1/schedules/${put.schedule.key}`);
      return sendDetail(reply, context, put.schedule);
    },
  );

  app.delete(
    "/v1/schedules/:key",
    {
      schema: {
        operationId: "deleteSchedule",
        summary: "Remove a schedule with its history. Its jobs stay.",
        tags,
        params: ScheduleParams,
        response: { 204: NoContent },
      },
      config: { access: "operate", problems: [...problems, "etag_mismatch"] },
    },
    async (request, reply) => {
      const schedule = await visibleSchedule(context, request, request.params.key);
      await checkPresence(request, () => Promise.resolve(schedule));
      await deleteSchedule(context, request.params.key, expectedVersion(request));
      return reply.code(204).send();
    },
  );
}

function scheduleVerbRoutes(app: App, { context }: Services): void {
  app.post(
    "/v1/schedules/:key/pause",
    {
      schema: {
        operationId: "pauseSchedule",
        summary: "Let no slot fire.",
        tags,
        params: ScheduleParams,
        body: PauseBody,
        response: { 200: ScheduleView },
      },
      config: { access: "operate", problems, auditDetail: ({ body }) => (body as PauseBody).reason ?? null },
    },
    async (request) => {
      const { key } = await visibleSchedule(context, request, request.params.key);
      return scheduleView(await pauseSchedule(context, key, request.body.reason ?? null));
    },
  );

  app.post(
    "/v1/schedules/:key/resume",
    {
      schema: {
        operationId: "resumeSchedule",
        summary: "Let slots fire again, from the next one on.",
        tags,
        params: ScheduleParams,
        response: { 200: ScheduleView },
      },
      config: { access: "operate", problems },
    },
    async (request) => {
      const { key } = await visibleSchedule(context, request, request.params.key);
      return scheduleView(await resumeSchedule(context, key));
    },
  );

  app.post(
    "/v1/schedules/:key/run",
    {
      schema: {
        operationId: "runSchedule",
        summary: "Make a job of the schedule now.",
        tags,
        params: ScheduleParams,
        response: { 200: EnqueuedJobView, 201: EnqueuedJobView },
      },
      config: { access: "operate", problems: [...problems, "unique_conflict", "queue_full"] },
    },
    async (request, reply) => {
      const schedule = await visibleSchedule(context, request, request.params.key);
      requireQueuesOf(request, schedule.job);
      const job = await runSchedule(context, schedule.key);
      return reply
        .code(job.deduplicated ? 200 : 201)
        .header("Location", `/v1/jobs/${job.id}`)
        .send(enqueuedJobView(job));
    },
  );
}

function sendDetail(reply: FastifyReply, context: EngineContext, schedule: Schedule): FastifyReply {
  return reply.type("application/json").send(scheduleDetailText(schedule, upcoming(context, schedule)));
}

/** Nothing for a schedule that does not run: it is paused, or it cannot be understood any more. */
function upcoming({ store }: EngineContext, schedule: Schedule): Preview {
  if (schedule.pausedAt !== null || schedule.next === null) return { next: [], notes: [] };
  // From the next slot on, which may be overdue.
  return upcomingRuns(schedule, Math.min(schedule.next.slot - 1, store.now()), DEFAULT_PREVIEW);
}
