import type { FlowJobRequest } from "./flow-request.js";

/** A link of a chain; without a `ref` it is called by its place, counted from 1. */
export type ChainJob = Omit<FlowJobRequest, "ref" | "dependsOn"> & { readonly ref?: string };

/** Jobs of a flow that run one after the other: each depends on the one before it. */
export function chain(jobs: readonly ChainJob[]): FlowJobRequest[] {
  const refs = jobs.map(({ ref }, place) => ref ?? String(place + 1));
  return jobs.map((job, place): FlowJobRequest => {
    const before = refs[place - 1];
    return { ...job, ref: refs[place] ?? "", dependsOn: before === undefined ? [] : [before] };
  });
}
