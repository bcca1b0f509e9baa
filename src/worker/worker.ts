import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_GRACE_MS,
  DEFAULT_LEASE_MS,
  DEFAULT_POLL_MS,
  DEFAULT_QUEUE,
  MAX_CLAIM,
} from "../core/defaults.js";
import type { Fault } from "../core/errors.js";
import { validationError } from "../core/job-request.js";
import { storableText } from "../core/storable-text.js";
import { faultsOfClaim, mayHaveLeftJobs } from "../engine/claim.js";
import type { EngineContext } from "../engine/context.js";
import { Loop } from "../engine/loops/loop.js";
import type { Settled, Settlement } from "../store/claims.js";
import { Acknowledger } from "./acknowledger.js";
import { attemptEnd } from "./attempt-end.js";
import type { AnyJobDefinition } from "../core/define-job.js";
import { Executor } from "./executor.js";
import { LeaseKeeper } from "./lease-keeper.js";
import { Run, WorkerStoppingError } from "../core/run.js";
import { stopWorker } from "../core/shutdown.js";

export interface WorkerOptions {
  readonly jobs: readonly AnyJobDefinition[];
  /** In order of preference. Default: `["default"]`. */
  readonly queues?: readonly string[];
  /** Handlers running at the same time, 1 to 1000. Default 10. */
  readonly concurrency?: number;
  /** How long a claim holds without a heartbeat. Default 30 s. */
  readonly leaseMs?: number;
  /** How often the queues are looked at when nothing wakes the worker. Default 1 s. */
  readonly pollMs?: number;
  /** Default: host, process id and random letters. */
  readonly id?: string;
}

/** Claims jobs, runs their handlers, and keeps their leases. */
export class Worker {
  readonly id: string;
  readonly queues: readonly string[];
  readonly names: readonly string[];
  readonly concurrency: number;
  readonly #leaseMs: number;
  readonly #executor: Executor;
  readonly #acknowledger: Acknowledger;
  readonly #keeper: LeaseKeeper;
  readonly #poller: Loop;
  /** Claimed and not yet acknowledged. */
  readonly #runs = new Set<Run>();
  /** Handlers that have not ended. */
  #active = 0;
  #state: "new" | "active" | "stopping" | "stopped" = "new";
  #starting: Promise<void> | null = null;
  #claiming: Promise<void> | null = null;
  /** The last claim got less than it asked for: nothing to do until something wakes us. */
  #drained = false;
  #turnDue = false;
  #unsubscribe: (() => void) | null = null;
  #stopping: ReturnType<typeof stopWorker> | null = null;
  #released = 0;
  #wakeStop: (() => void) | null = null;

  /** @throws KonveierError `validation_failed` naming each option that is wrong */
  constructor(
    private readonly context: EngineContext,
    options: WorkerOptions,
    /** Called at a start, for what must run beside every worker. */
    private readonly onStart: () => void = () => undefined,
  ) {
    this.id = options.id ?? defaultWorkerId();
    this.queues = options.queues ?? [DEFAULT_QUEUE];
    this.names = options.jobs.map(({ name }) => name);
    this.concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    const pollMs = options.pollMs ?? DEFAULT_POLL_MS;
    checkOptions(this, this.#leaseMs, pollMs);

    this.#executor = new Executor(context, this.id, definitionsByName(options.jobs), {
      settled: (run, settlement) => {
        this.#settled(run, settlement);
      },
      ended: (run, stuck) => {
        this.#ended(run, stuck);
      },
    });
    this.#acknowledger = new Acknowledger(context, this.id, (run, settlement, settled) => {
      this.#acknowledged(run, settlement, settled);
    });
    this.#keeper = new LeaseKeeper(
      context,
      this.#leaseMs,
      () => this.#runs,
      () => this.#report(),
    );
    this.#poller = new Loop(
      context.clock,
      () => {
        this.#wake();
        return Promise.resolve(pollMs);
      },
      () => pollMs,
    );
  }

  /** Begins to claim. Resolves when the worker is known to the store. @throws KonveierError `store_…` */
  start(): Promise<void> {
    if (this.#state === "stopping" || this.#state === "stopped") {
      return Promise.reject(new Error("This worker has been stopped; make a new one to go on."));
    }
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#state = "active";
    try {
      await this.#report();
    } catch (error) {
      // A stop may have come in between; a start that failed can be tried again.
      if (this.#isActive()) this.#state = "new";
      this.#starting = null;
      throw error;
    }
    if (!this.#isActive()) return;
    this.context.events.emit("worker.started", { workerId: this.id, queues: this.queues, names: this.names });
    this.#unsubscribe = this.context.store.onChange(({ queues }) => {
      if (queues === null || this.queues.some((queue) => queues.has(queue))) this.#wake();
    });
    this.onStart();
    this.#keeper.start();
    this.#poller.start();
  }

  /**
   * Stops claiming, waits up to `graceMs` (default 10 s) for the handlers, then aborts them and gives
   * their jobs back with the attempt. May be called again with a shorter grace; the shorter one counts.
   *
   * @returns how many jobs were given back
   */
  async stop({ graceMs = DEFAULT_GRACE_MS }: { graceMs?: number } = {}): Promise<number> {
    if (this.#stopping === null) {
      this.#state = this.#state === "new" ? "stopped" : "stopping";
      this.#unsubscribe?.();
      this.#stopping = stopWorker(this.context.clock, {
        arrivals: () => Promise.allSettled([this.#starting, this.#claiming]),
        busy: () => this.#active > 0,
        unsaid: () => this.#acknowledger.pending > 0,
        whenChanged: (listener) => {
          this.#wakeStop = listener;
        },
        abort: () => {
          for (const run of this.#runs) run.abort(new WorkerStoppingError());
        },
        releaseRest: () => {
          this.#releaseRest();
        },
        close: () => this.#close(),
      });
    }
    this.#stopping.within(graceMs);
    await this.#stopping.done;
    return this.#released;
  }

  #isActive(): boolean {
    return this.#state === "active";
  }

  #wake(): void {
    this.#drained = false;
    this.#turn();
  }

  /** Once in a turn of the event loop: say what has ended and claim for the free slots, in one transaction. */
  #turn(): void {
    if (this.#turnDue) return;
    this.#turnDue = true;
    setImmediate(() => {
      this.#turnDue = false;
      this.#acknowledger.flush();
      if (this.#isActive() && this.#claiming === null && !this.#drained) {
        const free = this.concurrency - this.#active;
        if (free > 0) this.#claiming = this.#claim(free);
      }
    });
  }

  async #claim(max: number): Promise<void> {
    const deadline = this.context.clock.monotonic() + this.#leaseMs;
    // From here on a wake-up is about jobs that this claim may not see, and must not be lost.
    this.#drained = true;
    try {
      const jobs = await this.context.store.claims.claim({
        workerId: this.id,
        queues: this.queues,
        names: this.names,
        max,
        leaseMs: this.#leaseMs,
      });
      if (jobs.length > 0) this.context.health.wrote();
      if (mayHaveLeftJobs(max, jobs)) this.#drained = false;
      for (const job of jobs) this.#begin(new Run(job, this.context.clock, deadline));
    } catch (error) {
      // The poll is the next try: an outage must not become a busy loop.
      this.#drained = true;
      this.context.health.failed(error, "claiming jobs");
    }
    this.#claiming = null;
    if (!this.#drained) this.#turn();
  }

  #begin(run: Run): void {
    this.#runs.add(run);
    // An earlier handler of the same claim may have blocked the event loop beyond the lease.
    run.checkLease();
    if (!this.#isActive() || run.abortReason !== null) {
      this.#giveBack(run);
      return;
    }
    this.#active += 1;
    this.#executor.execute(run);
  }

  #settled(run: Run, settlement: Settlement | null): void {
    run.trace?.ended(attemptEnd(run, settlement));
    if (settlement === null) {
      this.#drop(run);
      return;
    }
    this.#acknowledger.add(run, settlement);
    this.#turn();
  }

  #ended(run: Run, stuck: boolean): void {
    this.#active -= 1;
    if (stuck) this.context.events.emit("handler.stuck", this.#fact(run));
    this.#wakeStop?.();
    this.#turn();
  }

  #acknowledged(run: Run, { verb }: Settlement, settled: Settled): void {
    if (settled.ok) {
      this.#runs.delete(run);
      if (verb === "release") this.#released += 1;
    } else {
      run.lose(settled.reason);
      this.#drop(run);
    }
    this.#wakeStop?.();
  }

  #drop(run: Run): void {
    if (!this.#runs.delete(run)) return;
    this.context.events.emit("lease.lost", { ...this.#fact(run), reason: run.lost ?? "reclaimed" });
  }

  #releaseRest(): void {
    for (const run of this.#runs) this.#giveBack(run);
    this.#acknowledger.flush();
  }

  /** Nothing was or will be done: the attempt does not count. */
  #giveBack(run: Run): void {
    if (run.lost === null && run.takeDecision()) {
      this.#settled(run, { verb: "release", id: run.job.id, token: run.job.token });
    }
  }

  #fact({ job }: Run) {
    return {
      id: job.id,
      queue: job.queue,
      name: job.name,
      attempt: job.attempt,
      token: job.token,
      workerId: this.id,
    };
  }

  #report(): Promise<void> {
    return this.context.store.workers.seen({
      id: this.id,
      claimant: null,
      host: storableText(hostname(), 255),
      pid: process.pid,
      queues: this.queues,
      names: this.names,
      concurrency: this.concurrency,
      running: this.#active,
      state: this.#isActive() ? "active" : "stopping",
    });
  }

  async #close(): Promise<void> {
    this.#acknowledger.stop();
    await Promise.all([this.#keeper.stop(), this.#poller.stop()]);
    this.#state = "stopped";
    try {
      await this.context.store.workers.gone(this.id);
    } catch (error) {
      this.context.health.failed(error, "signing off a worker");
    }
    this.context.events.emit("worker.stopped", { workerId: this.id, released: this.#released });
  }
}

function definitionsByName(jobs: readonly AnyJobDefinition[]): Map<string, AnyJobDefinition> {
  return new Map(jobs.map((job) => [job.name, job]));
}

function defaultWorkerId(): string {
  return storableText(`${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`, 200);
}

function checkOptions(worker: Worker, leaseMs: number, pollMs: number): void {
  const faults: Fault[] = [];
  if (worker.names.length === 0) {
    faults.push({ pointer: "/jobs", code: "required", detail: "must hold at least one job definition" });
  }
  if (new Set(worker.names).size < worker.names.length) {
    faults.push({ pointer: "/jobs", code: "duplicate", detail: "defines the same job name twice" });
  }
  if (!Number.isSafeInteger(worker.concurrency) || worker.concurrency < 1 || worker.concurrency > MAX_CLAIM) {
    faults.push({
      pointer: "/concurrency",
      code: "out_of_range",
      detail: `must be a whole number from 1 to ${MAX_CLAIM}`,
    });
  }
  if (!Number.isSafeInteger(pollMs) || pollMs < 10 || pollMs > 60_000) {
    faults.push({
      pointer: "/pollMs",
      code: "out_of_range",
      detail: "must be a whole number from 10 to 60000",
    });
  }
  const { id: workerId, queues, names } = worker;
  for (const fault of faultsOfClaim({ workerId, queues, names, max: 1, leaseMs })) {
    faults.push(fault.pointer === "/workerId" ? { ...fault, pointer: "/id" } : fault);
  }
  if (faults.length > 0) throw validationError(faults);
}
