import type { ClaimView } from "../../api/claim.js";
import type { AckedView } from "../../api/lease.js";
import { Attempt, callHandler, callTraced } from "../../core/attempt.js";
import { DEFAULT_GRACE_MS } from "../../core/defaults.js";
import type { AnyJobDefinition } from "../../core/define-job.js";
import { KonveierError } from "../../core/errors.js";
import { RunContext } from "../../core/run-context.js";
import { WorkerStoppingError, type Run } from "../../core/run.js";
import { stopWorker, type Stopping } from "../../core/shutdown.js";
import { guardTracer, type Tracer } from "../../core/tracing.js";
import type { Verdict } from "../../core/verdict.js";
import { Acknowledger } from "./acknowledger.js";
import { runsOf } from "./claimed.js";
import { Claimer } from "./claimer.js";
import { RemoteFlowCalls } from "./flow-calls.js";
import { LeaseKeeper } from "./lease-keeper.js";
import type { Link } from "./link.js";
import { RemoteNotes } from "./notes.js";
import { RemoteSteps } from "./steps.js";
import { completeOptions, type CompleteOptions, type RemoteWorkerOptions } from "./options.js";
import { attemptEnd, outcomeOf } from "./outcome.js";

export type { RemoteWorkerOptions } from "./options.js";

/**
 * Runs the handlers of `defineJob` over HTTP, as the library's worker runs them beside the database: claims
 * while there is room, keeps the leases, and tells how every attempt ended.
 *
 * A claim that waits holds one connection, everything else uses another: no acknowledgement waits behind it.
 */
export class RemoteWorker {
  readonly id: string;
  /**
   * Resolves when the worker has stopped. Rejects with an `ApiError` when it stopped by itself because the
   * server does not take it, such as when its token was revoked.
   */
  readonly finished: Promise<void>;
  readonly #options: CompleteOptions;
  readonly #link: Link;
  readonly #tracer: Tracer | null;
  readonly #definitions: ReadonlyMap<string, AnyJobDefinition>;
  readonly #claimer: Claimer;
  readonly #keeper: LeaseKeeper;
  readonly #acknowledger: Acknowledger;
  /** Claimed and not yet acknowledged, with their lease tokens. */
  readonly #runs = new Map<Run, string>();
  readonly #notes = new WeakMap<Run, RemoteNotes>();
  /** Handlers that have not ended. */
  #active = 0;
  /** Outcomes that wait for the last log lines of their jobs. */
  #unsent = 0;
  #state: "new" | "active" | "stopping" = "new";
  #stopping: Stopping | null = null;
  #released = 0;
  #refusal: Error | null = null;
  #wakeStop: () => void = () => undefined;
  #wakeClaimer: () => void = () => undefined;
  #finish: (() => void) | null = null;

  /** @throws KonveierError `validation_failed` naming each option that is wrong */
  constructor(options: RemoteWorkerOptions) {
    this.#options = completeOptions(options);
    const { client, id, leaseMs, clock, random, onProblem, jobs, queues, tracing } = this.#options;
    this.id = id;
    this.#tracer =
      tracing === null
        ? null
        : guardTracer(tracing, (error) => {
            onProblem(error, "tracing");
          });
    this.#definitions = new Map(jobs.map((job) => [job.name, job]));
    this.finished = new Promise((resolve, reject) => {
      this.#finish = () => {
        if (this.#refusal === null) resolve();
        else reject(this.#refusal);
      };
    });
    this.#link = {
      client,
      workerId: id,
      leaseMs,
      clock,
      random,
      problem: onProblem,
      refused: (error) => {
        this.#refused(error);
      },
    };
    this.#claimer = new Claimer(this.#link, {
      queues,
      names: [...this.#definitions.keys()],
      free: () => this.#options.concurrency - this.#active,
      room: () =>
        new Promise((resolve) => {
          this.#wakeClaimer = resolve;
        }),
      claimed: (answer, sentAt) => {
        this.#claimed(answer, sentAt);
      },
    });
    this.#keeper = new LeaseKeeper(this.#link, this.#runs);
    this.#acknowledger = new Acknowledger(this.#link, (run, answer) => {
      this.#acknowledged(run, answer);
    });
  }

  /**
   * Begins to claim. Resolves when the server has answered.
   *
   * @throws ApiError when it does not take this worker, such as for a wrong token
   * @throws ConnectionError when it cannot be reached
   */
  async start(): Promise<void> {
    if (this.#state !== "new") throw new Error("A remote worker is started once; make a new one to go on.");
    this.#state = "active";
    try {
      await this.#keeper.beat();
    } catch (error) {
      if (this.#isActive()) this.#state = "new";
      throw error;
    }
    if (!this.#isActive()) return;
    this.#keeper.start();
    this.#claimer.start();
  }

  /**
   * Stops claiming, waits up to `graceMs` (default 10 s) for the handlers, then aborts them and gives
   * their jobs back with the attempt. May be called again with a shorter grace; the shorter one counts.
   *
   * @returns how many jobs were given back
   */
  async stop({ graceMs = DEFAULT_GRACE_MS }: { graceMs?: number } = {}): Promise<number> {
    this.#state = "stopping";
    this.#stopping ??= stopWorker(this.#link.clock, {
      arrivals: () => this.#claimer.stop(),
      busy: () => this.#active > 0,
      unsaid: () => this.#unsent + this.#acknowledger.pending > 0,
      whenChanged: (listener) => {
        this.#wakeStop = listener;
      },
      abort: () => {
        for (const run of this.#runs.keys()) run.abort(new WorkerStoppingError());
      },
      releaseRest: () => {
        for (const run of this.#runs.keys()) this.#giveBack(run);
      },
      close: () => this.#close(),
    });
    this.#stopping.within(graceMs);
    await this.#stopping.done;
    return this.#released;
  }

  #isActive(): boolean {
    return this.#state === "active";
  }

  #claimed(answer: ClaimView, sentAt: number): void {
    for (const [run, leaseToken] of runsOf(answer, this.#link.clock, sentAt)) {
      this.#runs.set(run, leaseToken);
      this.#begin(run, leaseToken);
    }
  }

  #begin(run: Run, leaseToken: string): void {
    run.checkLease();
    if (!this.#isActive() || run.abortReason !== null) {
      this.#giveBack(run);
      return;
    }
    this.#active += 1;
    const { client } = this.#link;
    const lease = { id: run.job.id, leaseToken };
    const notes = new RemoteNotes(client, lease);
    const steps = new RemoteSteps(client, lease, notes);
    const flowCalls = new RemoteFlowCalls(client, lease, this.#tracer);
    this.#notes.set(run, notes);
    const definition = this.#definitions.get(run.job.name);
    const attempt = new Attempt(this.#link.clock, run, {
      settled: (_run, verdict) => {
        this.#settled(run, verdict);
      },
      ended: () => {
        this.#active -= 1;
        this.#wakeClaimer();
        this.#wakeStop();
      },
    });
    const call = () =>
      callHandler(
        run,
        definition,
        (payload) => new RunContext(run, payload, { notes, steps, flowCalls, completeWithin: noDatabase }),
      );
    attempt.begin(callTraced(run, this.#tracer, this.id, call));
  }

  #settled(run: Run, verdict: Verdict | null): void {
    run.trace?.ended(attemptEnd(run, verdict));
    const leaseToken = this.#runs.get(run);
    if (verdict === null || leaseToken === undefined) {
      this.#drop(run);
      return;
    }
    const { job } = run;
    const outcome = outcomeOf(verdict, job, this.#definitions.get(job.name), this.#link.problem);
    const item = { id: job.id, leaseToken, ...outcome };
    // The lease ends with the acknowledgement, and lines that come later would be refused.
    this.#unsent += 1;
    const told = this.#notes.get(run)?.told() ?? Promise.resolve();
    told
      .then(() => {
        this.#unsent -= 1;
        this.#acknowledger.add(run, item);
      })
      .catch((error: unknown) => {
        this.#link.problem(error, `acknowledging job ${job.id}`);
      });
  }

  #acknowledged(run: Run, answer: AckedView | null): void {
    if (answer?.ok === true) {
      this.#runs.delete(run);
      if (run.abortReason instanceof WorkerStoppingError && answer.state === "pending") this.#released += 1;
    } else {
      if (answer?.ok === false) run.lose(answer.reason);
      this.#drop(run);
    }
    this.#wakeStop();
  }

  #drop(run: Run): void {
    this.#runs.delete(run);
    this.#wakeStop();
  }

  /** Nothing was or will be done: the attempt does not count. */
  #giveBack(run: Run): void {
    if (run.lost !== null || !run.takeDecision()) return;
    run.abort(new WorkerStoppingError());
    this.#settled(run, { kind: "released" });
  }

  #refused(error: Error): void {
    if (this.#refusal !== null) return;
    this.#refusal = error;
    // Nothing that the handlers still do can be told to anybody.
    this.stop({ graceMs: 0 }).catch((problem: unknown) => {
      this.#link.problem(problem, "stopping");
    });
  }

  #close(): Promise<void> {
    this.#acknowledger.stop();
    this.#keeper.stop();
    this.#finish?.();
    return Promise.resolve();
  }
}

function noDatabase(): never {
  throw new KonveierError(
    "transaction_unusable",
    "This worker runs over HTTP. A handler that completes its job in a transaction needs a worker on the database itself.",
  );
}
