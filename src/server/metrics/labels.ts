import { labelText } from "./exposition.js";

/** What stands for all values that have no series of their own. */
export const OTHER = "_other";

/** Values of one label. Users choose them, and every one costs series here and in Prometheus for ever. */
const MAX_VALUES = 200;

/**
 * The values of one label, bounded. Who comes first keeps a series of its own until the process ends, so a
 * value never moves between its own series and `_other`, where it would look like a counter that fell.
 */
class BoundedLabel {
  readonly #values = new Set<string>();
  /** How often a value was replaced. */
  overflows = 0;

  of(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size < MAX_VALUES) {
      this.#values.add(value);
      return value;
    }
    this.overflows += 1;
    return OTHER;
  }
}

/** Queues and names that have series together. Far fewer than 200 × 200, which would be a million lines. */
const MAX_LANES = 2_000;

/** One object for each pair of labels, for as long as the process lives. */
export interface LaneLabels {
  /** See `labelText`. */
  readonly text: string;
}

/** The labels of all metrics of one server. */
export class MetricLabels {
  readonly queue = new BoundedLabel();
  readonly jobName = new BoundedLabel();
  readonly schedule = new BoundedLabel();
  readonly #lanes = new Map<string, Map<string, LaneLabels>>();
  #laneCount = 0;

  lane(queueName: string, name: string): LaneLabels {
    const queue = this.queue.of(queueName);
    return this.#find(queue, this.jobName.of(name)) ?? this.#add(queue, OTHER);
  }

  /** `null` from when there are many others: these series only say 0, so they are left out. */
  laneWithoutJobs(queue: string, name: string): LaneLabels | null {
    return this.#laneCount < MAX_LANES ? this.lane(queue, name) : null;
  }

  #find(queue: string, jobName: string): LaneLabels | null {
    const known = this.#lanes.get(queue)?.get(jobName);
    if (known !== undefined) return known;
    if (this.#laneCount < MAX_LANES) return this.#add(queue, jobName);
    this.jobName.overflows += 1;
    return null;
  }

  #add(queue: string, jobName: string): LaneLabels {
    let names = this.#lanes.get(queue);
    if (names === undefined) {
      names = new Map();
      this.#lanes.set(queue, names);
    }
    let lane = names.get(jobName);
    if (lane === undefined) {
      lane = { text: labelText({ queue, job_name: jobName }) };
      names.set(jobName, lane);
      this.#laneCount += 1;
    }
    return lane;
  }
}
