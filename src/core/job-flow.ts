import { LeaseLostError } from "./errors.js";
import type { DependencyResult, FlowLink } from "./flow.js";
import type { FlowJobRequest } from "./flow-request.js";
import { WaitForJobs } from "./outcomes.js";
import type { Run } from "./run.js";

/** What a handler has to do with the flow of its job. */
export interface JobFlow {
  /**
   * Adds jobs to the flow; a job that is in none begins one, in which it is `root`. Refs that the flow has already are
   * left as they are, so a handler that runs again may say the same again. Rejects with `LeaseLostError` when the job
   * is no longer held, with a `KonveierError` `validation_failed` for jobs that are refused; then none was added.
   */
  readonly add: (jobs: readonly FlowJobRequest[]) => Promise<void>;
  /**
   * Goes on when these jobs of the flow have ended, in whatever way. Until then the attempt ends by the error that
   * this throws, uncounted, and the handler runs again from its beginning when they have: let the error pass.
   */
  readonly wait: (refs: readonly string[]) => Promise<void>;
  /** How the jobs that this one depends on or has waited for have ended, and what they returned. */
  readonly results: () => AsyncGenerator<FlowResult, void, undefined>;
}

/** How a job ended that another one depends on. */
export interface FlowResult extends Pick<FlowLink, "id" | "ref" | "state"> {
  /** What its handler returned; `undefined` unless it completed with something. */
  readonly result: unknown;
}

type FlowKey = Pick<Run["job"], "id" | "token">;

/** How a worker speaks about flows. */
export interface FlowCalls {
  /** @throws LeaseLostError */
  add(key: FlowKey, jobs: readonly FlowJobRequest[]): Promise<void>;
  /** Whether one of these jobs has not ended, or is not yet one that the job has waited for. @throws KonveierError `validation_failed` for refs that the flow does not have */
  hasToWait(key: FlowKey, refs: readonly string[]): Promise<boolean>;
  dependencies(key: FlowKey, after: string | null): Promise<DependencyResults>;
}

interface DependencyResults {
  readonly items: readonly DependencyResult[];
  readonly next: string | null;
}

/** The flow of the job of one run. */
export function jobFlowOf(run: Run, calls: FlowCalls): JobFlow {
  return {
    add: (jobs) => add(run, calls, jobs),
    wait: (refs) => wait(run, calls, refs),
    results: () => results(run, calls),
  };
}

async function add(run: Run, calls: FlowCalls, jobs: readonly FlowJobRequest[]): Promise<void> {
  await losing(run, () => calls.add(run.job, jobs));
}

async function wait(run: Run, calls: FlowCalls, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return;
  if (await losing(run, () => calls.hasToWait(run.job, refs))) throw new WaitForJobs(refs);
}

async function* results(run: Run, calls: FlowCalls): AsyncGenerator<FlowResult, void, undefined> {
  let after: string | null = null;
  do {
    const place: string | null = after;
    const page: DependencyResults = await losing(run, () => calls.dependencies(run.job, place));
    for (const { id, ref, state, result } of page.items) {
      yield { id, ref, state, result: result === null ? undefined : (JSON.parse(result) as unknown) };
    }
    after = page.next;
  } while (after !== null);
}

/** A call that says that the claim is lost ends the run. */
async function losing<Answer>(run: Run, call: () => Promise<Answer>): Promise<Answer> {
  run.checkLease();
  if (run.lost !== null) throw new LeaseLostError(run.job.id, run.job.token, run.lost);
  try {
    return await call();
  } catch (error) {
    if (error instanceof LeaseLostError) run.lose(error.reason);
    throw error;
  }
}
