import type { EngineContext } from "../../engine/context.js";
import { ClusterMetrics } from "./cluster.js";
import { MetricLabels } from "./labels.js";
import { ProcessMetrics } from "./process.js";

/** Everything that `/metrics` tells: of the database, and of this server. */
export class Metrics {
  /** What this server counts by itself. */
  readonly process;
  readonly #cluster;

  constructor(context: EngineContext, claimWaiters: () => number) {
    const labels = new MetricLabels();
    this.#cluster = new ClusterMetrics(context, labels);
    this.process = new ProcessMetrics(context.events, labels, {
      claimWaiters,
      stale: () => this.#cluster.stale,
    });
  }

  /** In the text format 0.0.4 of Prometheus. */
  async text(): Promise<string> {
    // First, because the others tell how this went.
    const cluster = await this.#cluster.text();
    const ofServer = await this.process.text();
    return `${cluster}${ofServer}`;
  }

  stop(): void {
    this.process.stop();
  }
}
