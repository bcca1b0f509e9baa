import type { EngineContext } from "../../engine/context.js";
import { WORKER_TIMEOUT_MS } from "../../engine/worker-timeout.js";
import type { ClaimRequest } from "../../store/claims.js";
import { RecentDemand } from "./recent-demand.js";
import { keyOf, WorkersElsewhere } from "./workers-elsewhere.js";

/** How often one worker is written down, however often it claims. */
const REPORT_MS = 10_000;

/**
 * A queue that a worker has not claimed from for so long, though it claims from others, is none of its queues any more.
 * A claim that waits may stay away as long as a worker may be silent, so it is more than that.
 */
const QUEUE_TIMEOUT_MS = WORKER_TIMEOUT_MS + 30_000;

/**
 * Queues and names of all workers that are written down. Every list of workers and every look for jobs that nobody
 * handles reads them all: a thousand workers with fifty each are no trouble, whatever strangers make up could be.
 */
const MAX_ENTRIES = 50_000;

type RemoteClaim = ClaimRequest & { readonly claimant: string };

interface RemoteWorker {
  readonly id: string;
  readonly claimant: string;
  readonly host: string;
  readonly demand: RecentDemand;
  running: number;
  reportedAt: number;
  /** When the latest report is written: reports of one worker must not overtake each other. */
  written: Promise<void>;
}

/**
 * Tells the store which workers claim over HTTP: without that, the jobs they serve would count as jobs
 * that nobody handles. Workers beyond a limit are not written down; they get jobs all the same.
 */
export class RemoteWorkers {
  /** By their tokens too: nobody speaks for the worker of another token, whatever it calls itself. */
  readonly #workers = new Map<string, RemoteWorker>();
  #entries = 0;
  readonly #elsewhere;

  constructor(private readonly context: EngineContext) {
    this.#elsewhere = new WorkersElsewhere(context);
  }

  /** @param host where the request came from */
  claims(claim: RemoteClaim, host: string): void {
    const key = keyOf(claim.workerId, claim.claimant);
    let worker = this.#workers.get(key);
    if (worker === undefined) {
      this.#forgetSilent();
      if (!this.#hasRoom(claim, null)) return;
      worker = newWorker(claim, host);
      this.#workers.set(key, worker);
    } else if (!this.#hasRoom(claim, worker.demand)) return;
    const { demand } = worker;
    const before = demand.size;
    demand.asks(claim, this.context.clock.monotonic());
    this.#entries += demand.size - before;
    // Whoever looks for workers of a new queue should not have to wait.
    if (demand.size > before) worker.reportedAt = Number.NEGATIVE_INFINITY;
    this.#report(worker);
  }

  /**
   * A worker that is too busy to claim lives as well.
   *
   * @param running jobs whose leases are its own
   */
  beats(workerId: string, claimant: string, running: number): void {
    const worker = this.#workers.get(keyOf(workerId, claimant));
    if (worker === undefined) {
      if (running > 0) this.#elsewhere.beats(workerId, claimant, running);
      return;
    }
    worker.running = running;
    this.#report(worker);
  }

  #hasRoom(claim: RemoteClaim, known: RecentDemand | null): boolean {
    const entries = entriesOf(claim);
    // Nearly always, and then nothing has to be looked up.
    if (this.#entries + entries <= MAX_ENTRIES) return true;
    return this.#entries + (known?.growth(claim) ?? entries) <= MAX_ENTRIES;
  }

  #forgetSilent(): void {
    const now = this.context.clock.monotonic();
    for (const [key, { reportedAt, demand }] of this.#workers) {
      if (now - reportedAt <= WORKER_TIMEOUT_MS) continue;
      this.#workers.delete(key);
      this.#entries -= demand.size;
    }
  }

  #report(worker: RemoteWorker): void {
    const now = this.context.clock.monotonic();
    if (now - worker.reportedAt < REPORT_MS) return;
    worker.reportedAt = now;
    const { id, claimant, host, demand, running } = worker;
    this.#entries -= demand.size;
    demand.forgetOlder(QUEUE_TIMEOUT_MS);
    this.#entries += demand.size;
    const record = {
      id,
      claimant,
      host,
      pid: NO_PID,
      queues: demand.queues,
      names: demand.names,
      concurrency: Math.max(demand.max, running),
      running,
      state: "active",
    } as const;
    // A claim must not fail because of this.
    worker.written = worker.written
      .then(() => this.context.store.workers.seen(record))
      .catch((error: unknown) => {
        this.context.health.failed(error, "recording a remote worker");
      });
  }
}

function newWorker({ workerId: id, claimant }: RemoteClaim, host: string): RemoteWorker {
  const reportedAt = Number.NEGATIVE_INFINITY;
  const written = Promise.resolve();
  return { id, claimant, host, demand: new RecentDemand(), running: 0, reportedAt, written };
}

function entriesOf({ queues, names }: RemoteClaim): number {
  return queues.length + (names?.length ?? 0);
}

/** Process ids begin at 1, so this stands for a worker whose process is not known. */
export const NO_PID = 0;
