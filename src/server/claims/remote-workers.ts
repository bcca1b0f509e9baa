import type { EngineContext } from "../../engine/context.js";
import { WORKER_TIMEOUT_MS } from "../../engine/worker-timeout.js";
import type { ClaimRequest } from "../../store/claims.js";

/** How often one worker is written down, however often it claims. */
const REPORT_MS = 10_000;

/**
 * Queues and names of all workers that are written down. Every list of workers and every look for jobs that nobody
 * handles reads them all: a thousand workers with fifty each are no trouble, whatever strangers make up could be.
 */
const MAX_ENTRIES = 50_000;

interface RemoteWorker {
  readonly host: string;
  request: Pick<ClaimRequest, "queues" | "names" | "max">;
  running: number;
  reportedAt: number;
}

/**
 * Tells the store which workers claim over HTTP: without that, the jobs they serve would count as jobs
 * that nobody handles. Workers beyond a limit are not written down; they get jobs all the same.
 */
export class RemoteWorkers {
  readonly #workers = new Map<string, RemoteWorker>();
  #entries = 0;

  constructor(private readonly context: EngineContext) {}

  /** @param host where the request came from */
  claims({ workerId, queues, names, max }: ClaimRequest, host: string): void {
    const request = { queues, names, max };
    const worker = this.#workers.get(workerId);
    const before = worker === undefined ? 0 : entriesOf(worker.request);
    if (worker === undefined) this.#forgetSilent();
    if (this.#entries - before + entriesOf(request) > MAX_ENTRIES) return;
    this.#entries += entriesOf(request) - before;
    if (worker !== undefined) worker.request = request;
    else this.#workers.set(workerId, { host, request, running: 0, reportedAt: Number.NEGATIVE_INFINITY });
    this.#report(workerId);
  }

  /** A worker that is too busy to claim lives as well. One that never claimed here is not known. */
  beats(workerId: string, running: number): void {
    const worker = this.#workers.get(workerId);
    if (worker === undefined) return;
    worker.running = running;
    this.#report(workerId);
  }

  #forgetSilent(): void {
    const now = this.context.clock.monotonic();
    for (const [id, { reportedAt, request }] of this.#workers) {
      if (now - reportedAt <= WORKER_TIMEOUT_MS) continue;
      this.#workers.delete(id);
      this.#entries -= entriesOf(request);
    }
  }

  #report(workerId: string): void {
    const worker = this.#workers.get(workerId);
    const now = this.context.clock.monotonic();
    if (worker === undefined || now - worker.reportedAt < REPORT_MS) return;
    worker.reportedAt = now;
    const { host, request, running } = worker;
    const seen = this.context.store.workers.seen({
      id: workerId,
      host,
      pid: NO_PID,
      queues: request.queues,
      names: request.names,
      concurrency: Math.max(request.max, running),
      running,
      state: "active",
    });
    // A claim must not fail because of this.
    seen.catch((error: unknown) => {
      this.context.health.failed(error, "recording a remote worker");
    });
  }
}

function entriesOf({ queues, names }: RemoteWorker["request"]): number {
  return queues.length + (names?.length ?? 0);
}

/** Process ids begin at 1, so this stands for a worker whose process is not known. */
export const NO_PID = 0;
