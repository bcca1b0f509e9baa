import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Events } from "../../core/events.js";
import { version } from "../version.js";
import type { MetricLabels } from "./labels.js";

/** What a stale claim tried to do. `worker`: whatever a worker in this process did. */
export type FencedOperation = (typeof FENCED_OPERATIONS)[number];
export const FENCED_OPERATIONS = [
  "complete",
  "fail",
  "release",
  "snooze",
  "progress",
  "logs",
  "heartbeat",
  "ack",
  "worker",
] as const;

const HTTP_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What is known at the moment of a scrape. */
export interface Moment {
  readonly claimWaiters: () => number;
  readonly stale: () => boolean;
}

/** Metrics of one server. They begin at 0 when it starts. */
export class ProcessMetrics {
  readonly #registry = new Registry();
  readonly #rejections;
  readonly #requests;
  readonly #durations;
  readonly #ofProcess = defaultMetrics();
  readonly #unsubscribe;

  constructor(events: Events, labels: MetricLabels, moment: Moment) {
    const registers = [this.#registry];
    this.#rejections = new Counter({
      name: "konveier_fencing_rejections_total",
      help: "Writes of claims that were not the current ones any more, refused by this server.",
      labelNames: ["operation"],
      registers,
    });
    for (const operation of FENCED_OPERATIONS) this.#rejections.inc({ operation }, 0);
    this.#requests = new Counter({
      name: "konveier_http_requests_total",
      help: "Requests that were answered.",
      labelNames: ["method", "route", "code"],
      registers,
    });
    this.#durations = new Histogram({
      name: "konveier_http_request_duration_seconds",
      help: "Time to answer a request, without those that wait on purpose.",
      labelNames: ["method", "route"],
      buckets: HTTP_BOUNDS_SECONDS,
      registers,
    });
    addMoment(registers, moment);
    addOverflows(registers, labels);
    const info = new Gauge({
      name: "konveier_build_info",
      help: "1; what runs is in the labels.",
      labelNames: ["version", "node"],
      registers,
    });
    info.set({ version: version(), node: process.version }, 1);
    this.#unsubscribe = events.on("lease.lost", () => {
      this.rejected("worker");
    });
  }

  rejected(operation: FencedOperation, times = 1): void {
    this.#rejections.inc({ operation }, times);
  }

  /** @param seconds `null` for a request that waits on purpose: its time says nothing */
  answered(method: string, route: string, code: number, seconds: number | null): void {
    this.#requests.inc({ method, route, code });
    if (seconds !== null) this.#durations.observe({ method, route }, seconds);
  }

  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${await this.#ofProcess.metrics()}`;
  }

  stop(): void {
    this.#unsubscribe();
  }
}

function addMoment(registers: Registry[], { claimWaiters, stale }: Moment): void {
  new Gauge({
    name: "konveier_claim_waiters",
    help: "Claims over HTTP that wait for jobs.",
    registers,
    collect() {
      this.set(claimWaiters());
    },
  });
  new Gauge({
    name: "konveier_metrics_stale",
    help: "1 when the database did not answer, and its metrics are those of an earlier scrape.",
    registers,
    collect() {
      this.set(stale() ? 1 : 0);
    },
  });
}

function addOverflows(registers: Registry[], { queue, jobName, schedule }: MetricLabels): void {
  new Counter({
    name: "konveier_metrics_label_overflow_total",
    help: "Times that a label's value was replaced by _other, because there are too many.",
    labelNames: ["label"],
    registers,
    collect() {
      this.reset();
      this.inc({ label: "queue" }, queue.overflows);
      this.inc({ label: "job_name" }, jobName.overflows);
      this.inc({ label: "schedule" }, schedule.overflows);
    },
  });
}

/** Gauges whose names end as those of counters do, which Prometheus advises against. */
const MISNAMED = [
  "nodejs_active_resources_total",
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
];

let ofProcess: Registry | null = null;

/**
 * About the process, whatever the number of servers in it: its observers of the garbage collector and the
 * event loop cannot be taken away again, so they are there once.
 */
function defaultMetrics(): Registry {
  if (ofProcess === null) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
    for (const name of MISNAMED) ofProcess.removeSingleMetric(name);
  }
  return ofProcess;
}
