import type { Static } from "typebox";
import type { OverviewView, TimeseriesQuery, TimeseriesView } from "../api/stats.js";
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
}
