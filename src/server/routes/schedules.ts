import { PauseBody } from "../../api/queue.js";
import {
  DEFAULT_PREVIEW,
  DEFAULT_SCHEDULE_PAGE,
  PreviewBody,
  ScheduleBody,
  SchedulePageQuery,
  ScheduleParams,
} from "../../api/schedule.js";
import { parseInstant } from "../../core/instant.js";
import { validationError } from "../../core/job-request.js";
import type { Schedule } from "../../core/schedule.js";
import type { EngineContext } from "../../engine/context.js";
import {
  deleteSchedule,
  findSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
} from "../../engine/schedules/by-hand.js";
import { preview, upcomingRuns, type Preview } from "../../engine/schedules/preview.js";
import { putSchedule } from "../../engine/schedules/put.js";
import type { App } from "../app.js";
import { decodePlace, encodePlace } from "../cursor.js";
import type { Services } from "../services.js";
import { jobView } from "../views/job.js";
import { previewView, scheduleDetailView, scheduleRunView, scheduleView } from "../views/schedule.js";

export function scheduleRoutes(app: App, { context, signer }: Services): void {
  const { store } = context;

  app.get("/v1/schedules", { schema: { querystring: SchedulePageQuery } }, async ({ query }) => {
    const after = query.cursor === undefined ? null : decodePlace(signer, "schedules", query.cursor);
    const { items, next } = await store.schedules.list(query.limit ?? DEFAULT_SCHEDULE_PAGE, after);
    return {
      items: items.map(scheduleView),
      nextCursor: next === null ? null : encodePlace(signer, "schedules", next),
    };
  });

  app.put(
    "/v1/schedules/:key",
    { schema: { params: ScheduleParams, body: ScheduleBody } },
    async ({ params, body }, reply) => {
      const { schedule, outcome } = await putSchedule(context, params.key, body, "api");
      return reply
        .code(outcome === "created" ? 201 : 200)
        .header("Location", `/v1/schedules/${schedule.key}`)
        .send(detail(context, schedule));
    },
  );

  app.get("/v1/schedules/:key", { schema: { params: ScheduleParams } }, async ({ params }) =>
    detail(context, await findSchedule(context, params.key)),
  );

  app.delete("/v1/schedules/:key", { schema: { params: ScheduleParams } }, async ({ params }, reply) => {
    await deleteSchedule(context, params.key);
    return reply.code(204).send();
  });

  app.post(
    "/v1/schedules/:key/pause",
    { schema: { params: ScheduleParams, body: PauseBody } },
    async ({ params, body }) => scheduleView(await pauseSchedule(context, params.key, body.reason ?? null)),
  );

  app.post("/v1/schedules/:key/resume", { schema: { params: ScheduleParams } }, async ({ params }) =>
    scheduleView(await resumeSchedule(context, params.key)),
  );

  app.post("/v1/schedules/:key/run", { schema: { params: ScheduleParams } }, async ({ params }, reply) => {
    const job = await runSchedule(context, params.key);
    return reply.code(201).header("Location", `/v1/jobs/${job.id}`).send(jobView(job));
  });

  app.get(
    "/v1/schedules/:key/runs",
    { schema: { params: ScheduleParams, querystring: SchedulePageQuery } },
    async ({ params, query }) => {
      const { key } = await findSchedule(context, params.key);
      const list = `runs of ${key}`;
      const limit = query.limit ?? DEFAULT_SCHEDULE_PAGE;
      const before = query.cursor === undefined ? null : Number(decodePlace(signer, list, query.cursor));
      const runs = await store.schedules.runs(key, limit + 1, before);
      const items = runs.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map(scheduleRunView),
        nextCursor:
          runs.length > limit && last !== undefined ? encodePlace(signer, list, String(last.seq)) : null,
      };
    },
  );

  app.post("/v1/schedules/preview", { schema: { body: PreviewBody } }, ({ body }) => {
    const after = body.after === undefined ? store.now() : parseInstant(body.after);
    if (typeof after !== "number") {
      throw validationError([{ pointer: "/after", code: "invalid_instant", detail: after.problem }]);
    }
    return previewView(preview(body.cron, body.timezone, after, body.count ?? DEFAULT_PREVIEW));
  });
}

function detail(context: EngineContext, schedule: Schedule) {
  return scheduleDetailView(schedule, upcoming(context, schedule));
}

/** Nothing for a schedule that does not run: it is paused, or it cannot be understood any more. */
function upcoming({ store }: EngineContext, schedule: Schedule): Preview {
  if (schedule.pausedAt !== null || schedule.next === null) return { next: [], notes: [] };
  // From the next slot on, which may be overdue.
  return upcomingRuns(schedule, Math.min(schedule.next.slot - 1, store.now()), DEFAULT_PREVIEW);
}
