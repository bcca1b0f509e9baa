import { Attempt, callHandler, callTraced, type AttemptEvents } from "../core/attempt.js";
import type { AnyJobDefinition } from "../core/define-job.js";
import type { FlowCalls } from "../core/job-flow.js";
import { RunContext, type RunLinks } from "../core/run-context.js";
import type { Run } from "../core/run.js";
import { describeError } from "../core/stored-error.js";
import type { Verdict } from "../core/verdict.js";
import { completeWithin, completion } from "../engine/complete.js";
import type { EngineContext } from "../engine/context.js";
import { failure } from "../engine/fail.js";
import { flowCallsOf } from "../engine/flows/within-job.js";
import type { Settlement } from "../store/claims.js";

export interface ExecutorEvents {
  /** How the claim ends; `null` when it was lost and nothing is to be said. Called once. */
  settled(run: Run, settlement: Settlement | null): void;
  /** The handler has returned, or is given up: its slot is free. Called once. */
  ended(run: Run, stuck: boolean): void;
}

/** Runs attempts, and turns whatever happens in one into one settlement. */
export class Executor {
  readonly #events: AttemptEvents;
  readonly #flowCalls: FlowCalls;

  constructor(
    private readonly context: EngineContext,
    private readonly workerId: string,
    private readonly definitions: ReadonlyMap<string, AnyJobDefinition>,
    events: ExecutorEvents,
  ) {
    this.#flowCalls = flowCallsOf(context);
    this.#events = {
      settled: (run, verdict) => {
        events.settled(run, verdict === null ? null : settlementFor(context, run, verdict));
      },
      ended: (run, stuck) => {
        events.ended(run, stuck);
      },
    };
  }

  execute(run: Run): void {
    const { context } = this;
    const { clock, store, tracer } = context;
    const definition = this.definitions.get(run.job.name);
    const attempt = new Attempt(clock, run, this.#events);
    const links: RunLinks = {
      notes: store.claims,
      flowCalls: this.#flowCalls,
      steps: store.steps,
      completeWithin: ({ job }, connection, result) => completeWithin(context, job, connection, result),
    };
    const contextFor = (payload: unknown) => new RunContext(run, payload, links);
    const call = () => callHandler(run, definition, contextFor);
    attempt.begin(callTraced(run, tracer, this.workerId, call));
  }
}

function settlementFor(context: EngineContext, { job }: Run, verdict: Verdict): Settlement {
  switch (verdict.kind) {
    case "completed":
      return completion(job, verdict.result);
    case "released":
      return { verb: "release", id: job.id, token: job.token };
    case "snoozed": {
      const { delayMs, hold } = verdict;
      return { verb: "snooze", id: job.id, token: job.token, delayMs, ...(hold !== undefined && { hold }) };
    }
    case "waiting":
      return { verb: "wait", id: job.id, token: job.token, refs: verdict.refs };
    case "failed": {
      const { outcome, thrown, retry } = verdict;
      return failure(context, job, { outcome, error: describeError(thrown) }, retry);
    }
  }
}
