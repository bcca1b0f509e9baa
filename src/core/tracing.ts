import { DEFAULT_QUEUE } from "./defaults.js";
import type { LeaseLossReason } from "./errors.js";
import type { ClaimedJob } from "./job.js";
import { isName } from "./names.js";
import { readTraceContext, type TraceContext } from "./trace-context.js";
import type { MaybePromise } from "./transactions.js";

/** What is enqueued by one call. */
export interface EnqueueFacts {
  /** `null` when the jobs of a batch go to several queues. */
  readonly queue: string | null;
  /** `null` when they have several names. */
  readonly name: string | null;
  readonly count: number;
}

export interface EnqueueTrace {
  /** Kept with the jobs, and linked to when they are processed. */
  readonly context: TraceContext | null;
  /** The jobs are durable. `id`: of a single one. */
  accepted(id: string | null): void;
  failed(error: unknown): void;
}

/** How an attempt ended, as far as its worker knows. */
export interface AttemptEnd {
  /** `cancelled` and `lost`: the claim was no longer the current one. */
  readonly outcome: "completed" | "failed" | "timed_out" | "lost" | "cancelled" | "released" | "snoozed";
  /** Class name of the error. Its message may hold what was in the payload, and is not told. */
  readonly errorType: string | null;
}

export interface ProcessTrace {
  /** Calls the handler at once, so that what it traces belongs to this attempt. @returns its very promise */
  run<Result>(handler: () => Promise<Result>): Promise<Result>;
  /** Called once. */
  ended(end: AttemptEnd): void;
}

/** What a tracing system is told. `konveier/otel` has the one for OpenTelemetry; without any, nothing is called. */
export interface Tracer {
  /** @param given the context that came with a request; it is kept as it is */
  enqueue(facts: EnqueueFacts, given: TraceContext | null): EnqueueTrace;
  process(job: ClaimedJob, workerId: string): ProcessTrace;
}

/**
 * A tracer that harms nobody: when `tracer` throws, jobs are accepted and run as without one.
 *
 * @param report told the first failure only: the others would say the same for every job
 */
export function guardTracer(tracer: Tracer, report: (error: unknown) => void): Tracer {
  let reported = false;
  const attempt = <T>(call: () => T): T | null => {
    try {
      return call();
    } catch (error) {
      if (!reported) report(error);
      reported = true;
      return null;
    }
  };
  return {
    enqueue(facts, given) {
      const trace = attempt(() => tracer.enqueue(facts, given));
      const context = attempt(() => trace?.context);
      return {
        // Checked like what comes from elsewhere: it is stored.
        context: readTraceContext(context?.traceparent, context?.tracestate) ?? given,
        accepted: (id) => attempt(() => trace?.accepted(id)),
        failed: (error) => attempt(() => trace?.failed(error)),
      };
    },
    process(job, workerId) {
      const trace = attempt(() => tracer.process(job, workerId));
      return {
        run(handler) {
          let called: ReturnType<typeof handler> | null = null;
          const once = () => (called ??= handler());
          attempt(() => {
            // How the handler ends is the caller's matter, and it has the handler's own promise.
            trace?.run(once).catch(() => undefined);
          });
          return once();
        },
        ended: (end) => attempt(() => trace?.ended(end)),
      };
    },
  };
}

/** The end of an attempt that lost its claim. */
export function lostEnd(reason: LeaseLossReason | null): AttemptEnd {
  const outcome = reason === "cancelled" || reason === "gone" ? "cancelled" : "lost";
  return { outcome, errorType: "LeaseLostError" };
}

/** Sends jobs with the context that is to be kept with them, and tells the tracer how that went. */
export function traceEnqueue<Sent extends MaybePromise<unknown>>(
  tracer: Tracer,
  requests: readonly { readonly queue?: string | undefined; readonly name: string }[],
  given: TraceContext | null,
  send: (context: TraceContext | null) => Sent,
  idOf: (answer: Awaited<Sent>) => string | null,
): Sent {
  const trace = tracer.enqueue(factsOf(requests), given);
  try {
    const sent = send(trace.context);
    if (sent instanceof Promise) {
      sent.then(
        (answer: Awaited<Sent>) => {
          trace.accepted(idOf(answer));
        },
        (error: unknown) => {
          trace.failed(error);
        },
      );
    } else {
      trace.accepted(idOf(sent as Awaited<Sent>));
    }
    return sent;
  } catch (error) {
    trace.failed(error);
    throw error;
  }
}

function factsOf(
  requests: readonly { readonly queue?: string | undefined; readonly name: string }[],
): EnqueueFacts {
  const queues = new Set(requests.map(({ queue = DEFAULT_QUEUE }) => queue));
  const names = new Set(requests.map(({ name }) => name));
  return { queue: onlyName(queues), name: onlyName(names), count: requests.length };
}

/** Of requests that were not checked yet: what is no name must not become the name of a span. */
function onlyName(names: ReadonlySet<unknown>): string | null {
  const [name] = names;
  return names.size === 1 && isName(name) ? name : null;
}
