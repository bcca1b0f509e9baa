import { LeaseLostError, type Fault } from "./errors.js";
import type { DependencyResult, FlowLink } from "./flow.js";
import type { FlowJobRequest } from "./flow-request.js";
import { validationError } from "./job-request.js";
import { WaitForJobs } from "./outcomes.js";
import type { Run } from "./run.js";
import { isFinished } from "./states.js";

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
  /** Those of the refs that the flow has. */
  members(key: FlowKey, refs: readonly string[]): Promise<readonly Pick<FlowLink, "ref" | "state">[]>;
  dependencies(
    key: FlowKey,
    after: string | null,
  ): Promise<{ readonly items: readonly DependencyResult[]; readonly next: string | null }>;
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
  requireHeld(run);
  try {
    await calls.add(run.job, jobs);
  } catch (error) {
    if (error instanceof LeaseLostError) run.lose(error.reason);
    throw error;
  }
}

async function wait(run: Run, calls: FlowCalls, refs: readonly string[]): Promise<void> {
  requireHeld(run);
  if (refs.length === 0) return;
  const members = new Map((await calls.members(run.job, refs)).map(({ ref, state }) => [ref, state]));
  const faults = refs.flatMap((ref, index): Fault[] =>
    members.has(ref)
      ? []
      : [
          {
            pointer: `/refs/${index}`,
            code: "unknown_ref",
            detail: `names ${ref}, which no job of the flow is`,
          },
        ],
  );
  if (faults.length > 0) throw validationError(faults);
  if ([...members.values()].every(isFinished)) return;
  throw new WaitForJobs(refs);
}

async function* results(run: Run, calls: FlowCalls): AsyncGenerator<FlowResult, void, undefined> {
  let after: string | null = null;
  do {
    const page = await calls.dependencies(run.job, after);
    for (const { id, ref, state, result } of page.items) {
      yield { id, ref, state, result: result === null ? undefined : (JSON.parse(result) as unknown) };
    }
    after = page.next;
  } while (after !== null);
}

function requireHeld(run: Run): void {
  run.checkLease();
  if (run.lost !== null) throw new LeaseLostError(run.job.id, run.job.token, run.lost);
}
