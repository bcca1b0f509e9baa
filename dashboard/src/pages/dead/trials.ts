import { asProblem } from "../../api/problem.js";
import { read, send } from "../../api/request.js";
import type { DeadGroupView, JobPageView, JobView } from "../../api/types.js";
import { groupKey } from "./group-rows.js";
import { Kept } from "./kept.js";
import type { RetriedJob } from "./outcome.js";

export interface TrialJob extends RetriedJob {
  /** Why it may not have been retried: a refusal, or no answer, which says nothing. `null`: it was. */
  readonly fault: unknown;
}

/** Some jobs of a group that were retried to see whether they work now. */
export interface Trial {
  readonly number: number;
  readonly group: DeadGroupView;
  readonly jobs: readonly TrialJob[];
  /** Whether jobs are still being retried. */
  readonly retrying: boolean;
  /** Whether its end has been told. */
  readonly told: boolean;
}

/** By group: one at a time. */
export const trials = new Kept<Trial>();
let last = 0;

export async function startTrial(group: DeadGroupView, shown: readonly JobView[]): Promise<void> {
  const key = groupKey(group);
  if (trials.all().get(key)?.retrying === true) return;
  let trial: Trial = { number: (last += 1), group, jobs: [], retrying: true, told: false };
  trials.set(key, trial);
  const now = await readNow(shown);
  for (const job of shown) {
    trial = { ...trial, jobs: [...trial.jobs, await tried(job, now.get(job.id) ?? job)] };
    trials.set(key, trial);
  }
  trials.set(key, { ...trial, retrying: false });
}

export function closeTrial(group: DeadGroupView): void {
  trials.delete(groupKey(group));
}

export function setTold(trial: Trial): void {
  trials.set(groupKey(trial.group), { ...trial, told: true });
}

/** Whether nobody knows what has become of a request: it may have been carried out. */
export function isLost(fault: unknown): boolean {
  const { status } = asProblem(fault);
  return status < 400 || status >= 500;
}

/** The jobs as they are now, as far as that can be known: they may have been shown for a while. */
async function readNow(jobs: readonly JobView[]): Promise<ReadonlyMap<string, JobView>> {
  const q = `id:${jobs.map(({ id }) => id).join(",")}`;
  const page = await read<JobPageView>("/v1/jobs", { q, limit: jobs.length }).catch(() => null);
  return new Map((page?.items ?? []).map((job) => [job.id, job]));
}

async function tried(shown: JobView, now: JobView): Promise<TrialJob> {
  const { id } = shown;
  // Somebody else has retried or cancelled it. What becomes of it is told all the same.
  if (now.state !== "dead") return { id, token: shown.token, fault: null };
  try {
    const { token } = await send<JobView>(`/v1/jobs/${encodeURIComponent(id)}/retry`, { method: "POST" });
    return { id, token, fault: null };
  } catch (fault) {
    return { id, token: now.token, fault };
  }
}
