import type { Clock } from "./core/clock.js";
import { KonveierError } from "./core/errors.js";
import type { EventMap, EventName } from "./core/events.js";
import type { Enqueued } from "./core/job.js";
import type { JobRequest, JobSettings } from "./core/job-request.js";
import { createContext, type EngineContext } from "./engine/context.js";
import { JobWaits } from "./engine/events/job-waits.js";
import { enqueue, enqueueMany } from "./engine/enqueue.js";
import { Background } from "./engine/loops/background.js";
import { completeRetention } from "./engine/retention.js";
import { enqueuerWithin, type EnqueueLater, type EnqueueNow } from "./within.js";
import { openStore } from "./open-store.js";
import { Flows } from "./flows.js";
import { Jobs } from "./jobs.js";
import { Queues } from "./queues.js";
import { Schedules, type AnyScheduleOptions } from "./schedules.js";
import type { Retention } from "./store/maintenance.js";
import type { Tracer } from "./core/tracing.js";
import type { PostgresClient, SqliteConnection } from "./core/transactions.js";
import type { Store } from "./store/store.js";
import type { JobDefinition } from "./core/define-job.js";
import { jobRequestOf } from "./worker/job-request-of.js";
import { Worker, type WorkerOptions } from "./worker/worker.js";

export interface KonveierOptions {
  /** SQLite only; default `full`. See `docs/guarantees.md`. */
  readonly synchronous?: "full" | "normal";
  /** PostgreSQL only: the schema that everything is in. Default `konveier`. */
  readonly schema?: string;
  /** PostgreSQL only: where to listen, past a PgBouncer in transaction mode. Default: the URL of the database. */
  readonly listenUrl?: string;
  /** How long finished jobs are kept. Default: completed and cancelled 7 days, dead 90 days. */
  readonly retention?: Partial<Retention>;
  /**
   * Schedules by key, written when the database is opened. What was changed over HTTP is overwritten, a
   * pause stays; a key that is no longer here stays in the database until it is deleted.
   */
  readonly schedules?: Readonly<Record<string, AnyScheduleOptions>>;
  /** Traces jobs, such as `openTelemetry()` of `konveier/otel`. Default: nothing is traced. See `docs/tracing.md`. */
  readonly tracing?: Tracer;
  /** For tests. */
  readonly clock?: Clock;
  /** For tests: from 0 up to 1, as `Math.random`. */
  readonly random?: () => number;
}

/** A queue in a database: enqueue jobs, run workers, look at and change what is there. */
export class Konveier {
  readonly jobs: Jobs;
  readonly queues: Queues;
  readonly schedules: Schedules;
  readonly flows: Flows;
  readonly #workers = new Set<Worker>();
  readonly #background: Background;
  readonly #waits: JobWaits;
  #closing: Promise<void> | null = null;

  private constructor(
    /** What a server of `konveier/server` works with. */
    readonly context: EngineContext,
    retention: Partial<Retention> | undefined,
  ) {
    this.#waits = new JobWaits(context);
    this.jobs = new Jobs(context, this.#waits);
    this.queues = new Queues(context.store);
    this.schedules = new Schedules(context);
    this.flows = new Flows(context);
    this.#background = new Background(context, retention);
  }

  /**
   * Opens a database, making or migrating it as needed.
   *
   * @param url such as `sqlite:./jobs.db` or `postgres://user:password@host:5432/database`
   * @throws KonveierError `store_…` that says what to do, `validation_failed`
   */
  static async open(url: string, options: KonveierOptions = {}): Promise<Konveier> {
    // Before anything is opened: a store that was opened would have to be closed again.
    completeRetention(options.retention);
    const konveier = Konveier.withStore(await openStore(url, options), options);
    try {
      await konveier.schedules.declare(options.schedules ?? {});
    } catch (error) {
      await konveier.close();
      throw error;
    }
    return konveier;
  }

  /** Works on a store that is open already. Closing closes it. */
  static withStore(store: Store, options: Omit<KonveierOptions, "synchronous" | "schedules"> = {}): Konveier {
    return new Konveier(createContext(store, options), options.retention);
  }

  /**
   * Accepts a job. When the promise resolves, the job is durable.
   *
   * @param job a definition, or a name
   * @throws KonveierError `validation_failed`, `payload_…`, `idempotency_key_reused`, `store_…`
   */
  async enqueue<Payload>(
    job: JobDefinition<Payload> | string,
    payload: Payload,
    settings: JobSettings = {},
  ): Promise<Enqueued> {
    const request = await jobRequestOf(job, payload, settings);
    return enqueue(this.context, request);
  }

  /**
   * Accepts up to 1000 jobs, all or none.
   *
   * @throws KonveierError as `enqueue`; pointers of faults begin with the index of the job
   */
  async enqueueMany(requests: readonly JobRequest[]): Promise<readonly Enqueued[]> {
    return enqueueMany(this.context, requests);
  }

  /**
   * Enqueues in a transaction that the caller has open in the same database: the jobs are accepted exactly if that is
   * committed. On SQLite at once, on PostgreSQL as a promise. See `docs/transactions.md`.
   *
   * @param connection of better-sqlite3, or a client of pg
   * @throws KonveierError `transaction_unusable`
   */
  within(connection: SqliteConnection): EnqueueNow;
  within(client: PostgresClient): EnqueueLater;
  within(connection: SqliteConnection | PostgresClient): EnqueueNow | EnqueueLater {
    return enqueuerWithin(this.context, connection);
  }

  /** A worker in this process. It does nothing before `start()`. */
  worker(options: WorkerOptions): Worker {
    this.#refuseClosed();
    for (const { name, backoff } of options.jobs) {
      if (typeof backoff === "function") this.context.backoffFunctions.set(name, backoff);
    }
    const worker = new Worker(this.context, options, () => {
      this.#background.start();
    });
    this.#workers.add(worker);
    return worker;
  }

  /**
   * Runs the loops that fire schedules, promote due jobs, take back expired leases and prune. Workers start
   * them by themselves. Call it where no process runs workers or the server, or nothing of that happens.
   */
  startBackground(): void {
    this.#refuseClosed();
    this.#background.start();
  }

  /** Calls `listener` at every event of this process, until the returned function is called. */
  on<Name extends EventName>(name: Name, listener: (event: EventMap[Name]) => unknown): () => void {
    return this.context.events.on(name, listener);
  }

  /**
   * Stops the workers, each with its grace, and closes the database. May be called again with a shorter
   * grace; the shorter one counts.
   */
  close({ graceMs }: { graceMs?: number } = {}): Promise<void> {
    const grace = graceMs === undefined ? {} : { graceMs };
    const stopped = Promise.all([...this.#workers].map((worker) => worker.stop(grace)));
    this.#closing ??= this.#closeAfter(stopped);
    return this.#closing;
  }

  /** What is started after a close would run for ever, and keep the process alive. */
  #refuseClosed(): void {
    if (this.#closing === null) return;
    throw new KonveierError("store_closed", "This Konveier has been closed; open another one to go on.");
  }

  async #closeAfter(stopped: Promise<unknown>): Promise<void> {
    await stopped;
    this.#waits.close();
    await this.#background.stop();
    await this.context.store.close();
  }
}
