import { callAt } from "../../core/clock.js";
import type { EngineContext } from "../../engine/context.js";
import { Exposition } from "./exposition.js";
import { exposeJobs } from "./jobs.js";
import type { MetricLabels } from "./labels.js";
import { exposeSchedules, exposeSystem } from "./others.js";
import { exposeQueues } from "./queues.js";
import { read, type Reading } from "./reading.js";

/** Scrapers come from several sides; the database is asked once for all of them. */
const CACHE_MS = 1_000;
const TIMEOUT_MS = 2_000;

/**
 * Metrics of the database. Every server on it says the same, and a restart changes nothing about them:
 * they are read, not counted here.
 */
export class ClusterMetrics {
  /** Whether the text is an old one, because the database did not answer. */
  stale = false;
  #text = "";
  #readAt = Number.NEGATIVE_INFINITY;
  #refreshed: Promise<string> | null = null;
  /** Goes on when its time is up, and is then waited for again: a database that hangs gets no more to do. */
  #reading: Promise<Reading> | null = null;

  constructor(
    private readonly context: EngineContext,
    private readonly labels: MetricLabels,
  ) {}

  /** The exposition, a second old at the most, or the last one that could be had. */
  text(): Promise<string> {
    const now = this.context.clock.monotonic();
    if (this.#refreshed === null || now - this.#readAt >= CACHE_MS) {
      this.#readAt = now;
      this.#refreshed = this.#refresh();
    }
    return this.#refreshed;
  }

  async #refresh(): Promise<string> {
    const reading = await this.#inTime();
    this.stale = reading === null;
    if (reading !== null) this.#text = expose(reading, this.labels);
    return this.#text;
  }

  async #inTime(): Promise<Reading | null> {
    const { clock, store, health } = this.context;
    let cancel = (): void => undefined;
    const late = new Promise<null>((resolve) => {
      cancel = callAt(clock, clock.monotonic() + TIMEOUT_MS, () => {
        resolve(null);
      });
    });
    try {
      this.#reading ??= read(store).finally(() => {
        this.#reading = null;
      });
      return await Promise.race([this.#reading, late]);
    } catch (error) {
      health.failed(error, "reading the metrics");
      return null;
    } finally {
      cancel();
    }
  }
}

function expose(reading: Reading, labels: MetricLabels): string {
  const exposition = new Exposition();
  exposeJobs(exposition, reading, labels);
  exposeQueues(exposition, reading, labels);
  exposeSchedules(exposition, reading, labels);
  exposeSystem(exposition, reading);
  return exposition.toString();
}
