import type { Static } from "typebox";
import type { FindingsView } from "../api/finding.js";
import type {
  NameTableQuery,
  NameTableView,
  OverviewView,
  QueueLinesQuery,
  QueueLinesView,
  TimeseriesQuery,
  TimeseriesView,
} from "../api/stats.js";
import type { CallOptions, Transport } from "./transport.js";

/** Figures: `client.stats`. */
export class StatsClient {
  constructor(private readonly transport: Transport) {}

  /** Every queue as it is, and what happened in the last hour. */
  overview(options: CallOptions = {}): Promise<Static<typeof OverviewView>> {
    return this.transport.json({ ...options, method: "GET", path: "/v1/stats/overview", repeatable: true });
  }

  /** What happened over time, and how long it took. */
  timeseries(query: TimeseriesQuery, options: CallOptions = {}): Promise<TimeseriesView> {
    const path = "/v1/stats/timeseries";
    return this.transport.json({ ...options, method: "GET", path, query, repeatable: true });
  }

  /** Small charts of all queues, in one answer. */
  queues(query: QueueLinesQuery = {}, options: CallOptions = {}): Promise<QueueLinesView> {
    const path = "/v1/stats/queues";
    return this.transport.json({ ...options, method: "GET", path, query, repeatable: true });
  }

  /** What became of the attempts of each job name. */
  names(query: NameTableQuery = {}, options: CallOptions = {}): Promise<NameTableView> {
    const path = "/v1/stats/names";
    return this.transport.json({ ...options, method: "GET", path, query, repeatable: true });
  }

  /** What is wrong right now, the worst first. */
  findings(options: CallOptions = {}): Promise<FindingsView> {
    return this.transport.json({ ...options, method: "GET", path: "/v1/health/findings", repeatable: true });
  }
}
