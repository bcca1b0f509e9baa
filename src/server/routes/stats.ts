import {
  NameTableQuery,
  NameTableView,
  OverviewView,
  QueueLinesQuery,
  QueueLinesView,
  TimeseriesQuery,
  TimeseriesView,
} from "../../api/stats.js";
import type { Fault } from "../../core/errors.js";
import { parseInstant } from "../../core/instant.js";
import type { Instant } from "../../core/job.js";
import { validationError } from "../../core/job-request.js";
import { coversQueue } from "../../core/queue-globs.js";
import { nameTable } from "../../engine/statistics/name-table.js";
import { overview } from "../../engine/statistics/overview.js";
import { queueLines } from "../../engine/statistics/queue-lines.js";
import { timeline } from "../../engine/statistics/timeline.js";
import { identityOf } from "../access/guard.js";
import { covers, requireAllQueues, requireQueue } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { nameTableView, overviewView, queueLinesView, timeseriesView } from "../views/stats.js";

const tags = ["stats"];
const DEFAULT_SPAN_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Figures for charts, from the same roll-ups as `/metrics`. */
export function statsRoutes(app: App, services: Services): void {
  overviewRoute(app, services);
  timeseriesRoute(app, services);
  queueLinesRoute(app, services);
  nameTableRoute(app, services);
}

function overviewRoute(app: App, { context, heavyReads, rollUps }: Services): void {
  app.get(
    "/v1/stats/overview",
    {
      schema: {
        operationId: "getOverview",
        summary: "Every queue as it is, and what happened in the last hour.",
        tags,
        response: { 200: OverviewView },
      },
      config: { access: "read" },
    },
    async (request, reply) => {
      const { queues: globs } = identityOf(request);
      return heavyReads.answer(reply, ["overview", globs], async () => {
        const all = await overview(context.store, rollUps);
        const queues = all.queues.filter(({ queue }) => coversQueue(globs, queue.name));
        return overviewView({ ...all, queues });
      });
    },
  );
}

function timeseriesRoute(app: App, { context, rollUps }: Services): void {
  app.get(
    "/v1/stats/timeseries",
    {
      schema: {
        operationId: "getTimeseries",
        summary: "What happened over time, and how long it took.",
        tags,
        querystring: TimeseriesQuery,
        response: { 200: TimeseriesView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const { metric, step = null, queue, name, from, to } = request.query;
      // The sum over all queues tells about those that the token does not cover.
      if (queue === undefined) requireAllQueues(request);
      else requireQueue(request, queue);
      const now = context.store.now();
      const span = spanOf({ from, to }, now);
      const found = await timeline(rollUps, {
        ...span,
        step,
        metric,
        ...(queue !== undefined && { queue }),
        ...(name !== undefined && { name }),
      });
      return timeseriesView(metric, found, now);
    },
  );
}

function queueLinesRoute(app: App, { context, rollUps }: Services): void {
  app.get(
    "/v1/stats/queues",
    {
      schema: {
        operationId: "getQueueLines",
        summary: "What happened over time in every queue: small charts, in one answer.",
        tags,
        querystring: QueueLinesQuery,
        response: { 200: QueueLinesView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const { step = null, from, to } = request.query;
      const now = context.store.now();
      const span = spanOf({ from, to }, now);
      // An hour that ends within a minute lies in 61 of them; the overview counts 60 as well.
      const begin =
        from === undefined ? Math.ceil(span.to / MINUTE_MS) * MINUTE_MS - DEFAULT_SPAN_MS : span.from;
      const lines = await queueLines(rollUps, { from: begin, to: span.to, step }, (queue) =>
        covers(request, queue),
      );
      return queueLinesView(lines, now);
    },
  );
}

function nameTableRoute(app: App, { context, rollUps }: Services): void {
  app.get(
    "/v1/stats/names",
    {
      schema: {
        operationId: "getNameTable",
        summary: "What became of the attempts of each job name, and how long they took.",
        tags,
        querystring: NameTableQuery,
        response: { 200: NameTableView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const { queue = null, from, to } = request.query;
      if (queue === null) requireAllQueues(request);
      else requireQueue(request, queue);
      const now = context.store.now();
      return nameTableView(await nameTable(rollUps, spanOf({ from, to }, now), queue), queue, now);
    },
  );
}

/** Default: the hour before `to`, which is by default the present. */
function spanOf(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  now: Instant,
): { readonly from: Instant; readonly to: Instant } {
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
  return { from: begin, to: end };
}
