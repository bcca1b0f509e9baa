import {
  CountQuery,
  DEFAULT_PAGE,
  JobCountView,
  JobListQuery,
  JobPageView,
  StateCountsQuery,
  StateCountsView,
} from "../../api/job-list.js";
import { COUNT_CAP, SCAN_BUDGET_MS } from "../../core/defaults.js";
import { parseJobQuery, parseStatelessQuery } from "../../core/job-query/parse.js";
import { bothQueries, resolveTimes, type JobQuery } from "../../core/job-query/query.js";
import { queryOfFilter } from "../../store/job-filter.js";
import { identityOf } from "../access/guard.js";
import type { App } from "../app.js";
import { decodeCursor, encodeCursor } from "../cursor.js";
import type { Services } from "../services.js";
import { jobView } from "../views/job.js";
import { scanView } from "../views/scan.js";

/** Finding jobs by a filter. */
export function jobSearchRoutes(app: App, services: Services): void {
  jobListRoute(app, services);
  jobCountRoutes(app, services);
}

function jobListRoute(app: App, { context, signer }: Services): void {
  const { store } = context;

  app.get(
    "/v1/jobs",
    {
      schema: {
        operationId: "listJobs",
        summary: "A page of the jobs that match a filter.",
        tags: ["jobs"],
        querystring: JobListQuery,
        response: { 200: JobPageView },
      },
      config: { access: "read", problems: ["bad_filter", "bad_cursor"] },
    },
    async (request) => {
      const parameters = request.query;
      const { queues } = identityOf(request);
      const asked = queryOf(parameters);
      const { cursor, limit = DEFAULT_PAGE } = parameters;
      const { now, after } =
        cursor === undefined ? { now: store.now(), after: null } : decodeCursor(signer, asked, cursor);
      const query = resolveTimes(asked, now);
      const { items, next, scan } = await store.jobs.search(query, queues, limit, after, SCAN_BUDGET_MS);
      return {
        items: items.map(jobView),
        nextCursor: next === null ? null : encodeCursor(signer, asked, { now, after: next }),
        scan: scanView(scan),
      };
    },
  );
}

function jobCountRoutes(app: App, { context: { store } }: Services): void {
  app.get(
    "/v1/jobs/count",
    {
      schema: {
        operationId: "countJobs",
        summary: "How many jobs match a filter.",
        tags: ["jobs"],
        querystring: CountQuery,
        response: { 200: JobCountView },
      },
      config: { access: "read", problems: ["bad_filter"] },
    },
    async (request) => {
      const { queues } = identityOf(request);
      const query = resolveTimes(queryOf(request.query), store.now());
      const { count, capped, scan } = await store.jobs.count(query, queues, COUNT_CAP, SCAN_BUDGET_MS);
      return { count, capped, scan: scanView(scan) };
    },
  );

  app.get(
    "/v1/jobs/counts",
    {
      schema: {
        operationId: "countJobsByState",
        summary: "How many jobs of each state match a filter.",
        tags: ["jobs"],
        querystring: StateCountsQuery,
        response: { 200: StateCountsView },
      },
      config: { access: "read", problems: ["bad_filter"] },
    },
    async (request) => {
      const { q = "", ...filter } = request.query;
      const asked = bothQueries(queryOfFilter(filter), parseStatelessQuery(q));
      const { queues } = identityOf(request);
      const query = resolveTimes(asked, store.now());
      return store.jobs.countByState(query, queues, COUNT_CAP, SCAN_BUDGET_MS);
    },
  );
}

/** What the parameters ask for together. */
function queryOf(parameters: CountQuery): JobQuery {
  return bothQueries(queryOfFilter(parameters), parseJobQuery(parameters.q ?? ""));
}
