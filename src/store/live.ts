import type { LiveTopic } from "../core/live-topics.js";
import type { Queue } from "./queues.js";

/** What a page of numbers shows, and by what it is known what else has changed. From one moment. */
export interface LiveReading {
  /** Of the database: see `LiveStore.version`. */
  readonly version: string;
  /** By name. */
  readonly queues: readonly Queue[];
  /**
   * A text for each topic that differs from an earlier one exactly if something of the topic has changed. Its price
   * does not depend on the number of jobs. A change of a job may show in its queue's counts alone.
   */
  readonly marks: Readonly<Record<LiveTopic, string>>;
  /**
   * A text that differs from an earlier one if anything of no topic has changed, such as the audit log. A store that
   * cannot tell lets it differ whatever has changed.
   */
  readonly rest: string;
  /** A text like a mark, for what is written without anything to see, such as by a readiness check. */
  readonly housekeeping: string;
}

/** What somebody who looks at everything at once needs, at a price that does not depend on the number of jobs. */
export interface LiveStore {
  /**
   * A text that differs from an earlier one if anything was changed meanwhile, by whichever process. It may differ
   * for less. Costs microseconds. Means nothing to another connection.
   */
  version(): Promise<string>;
  read(): Promise<LiveReading>;
}
