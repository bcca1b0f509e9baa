import type { Metric, Registry } from "prom-client";

type Labels = Readonly<Record<string, string | number>>;

/** One line of the exposition. */
export interface Sample {
  /** Where it is not the family's: `_bucket`, `_sum` and `_count` of a histogram. */
  readonly metricName?: string;
  readonly labels: Labels;
  /** Labels that several samples have in common: they become text only once. */
  readonly sharedLabels: Labels;
  readonly value: number;
}

/** A metric of which all values are known at once, because they are read from the store. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly values: readonly Sample[];
}

const NO_LABELS: Labels = {};

export function sample(value: number, sharedLabels: Labels = NO_LABELS, labels: Labels = NO_LABELS): Sample {
  return { labels, sharedLabels, value };
}

/** Lets the registry write the family. Its own metrics are made to be counted up one by one. */
export function register(registry: Registry, family: Family): void {
  const metric = { name: family.name, get: () => Promise.resolve(family) };
  // What a registry needs of a metric is its name and `get`; the type asks for one of its own classes.
  registry.registerMetric(metric as unknown as Metric);
}
