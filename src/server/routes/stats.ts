import { OverviewView, TimeseriesQuery, TimeseriesView } from "../../api/stats.js";
import type { Fault } from "../../core/errors.js";
import { parseInstant } from "../../core/instant.js";
import type { Instant } from "../../core/job.js";
import { validationError } from "../../core/job-request.js";
import { overview } from "../../engine/statistics/overview.js";
import { timeline, type TimelineRequest } from "../../engine/statistics/timeline.js";
import { covers, requireAllQueues, requireQueue } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { overviewView, timeseriesView } from "../views/stats.js";

const DEFAULT_SPAN_MS = 3_600_000;

/** Figures for charts, from the same roll-ups as `/metrics`. */
export function statsRoutes(app: App, { context }: Services): void {
  app.get(
    "/v1/stats/overview",
    {
      schema: {
        operationId: "getOverview",
        summary: "Every queue as it is, and what happened in the last hour.",
        tags: ["stats"],
        response: { 200: OverviewView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const all = await overview(context);
      const queues = all.queues.filter(({ queue }) => covers(request, queue.name));
      return overviewView({ ...all, queues });
    },
  );

  app.get(
    "/v1/stats/timeseries",
    {
      schema: {
        operationId: "getTimeseries",
        summary: "What happened over time, and how long it took.",
        tags: ["stats"],
        querystring: TimeseriesQuery,
        response: { 200: TimeseriesView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const { query } = request;
      // The sum over all queues tells about those that the token does not cover.
      if (query.queue === undefined) requireAllQueues(request);
      else requireQueue(request, query.queue);
      return timeseriesView(query.metric, await timeline(context, requestOf(query, context.store.now())));
    },
  );
}

function requestOf({ from, to, step, queue, name }: TimeseriesQuery, now: Instant): TimelineRequest {
  const faults: Fault[] = [];
  const instantOf = (field: string, text: string): Instant => {
    const instant = parseInstant(text);
    if (typeof instant === "number") return instant;
    faults.push({ pointer: `/${field}`, code: "invalid_instant", detail: instant.problem });
    return now;
  };
  const end = to === undefined ? now : instantOf("to", to);
  const begin = from === undefined ? end - DEFAULT_SPAN_MS : instantOf("from", from);
  if (faults.length > 0) throw validationError(faults);
  return {
    from: begin,
    to: end,
    step: step ?? null,
    ...(queue !== undefined && { queue }),
    ...(name !== undefined && { name }),
  };
}
