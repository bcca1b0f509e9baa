import type { EnqueuedJobView } from "../api/job.js";
import type { InfoView } from "../api/info.js";
import type { SuggestQuery } from "../api/suggest.js";
import type { WorkerView } from "../api/worker.js";
import type { JobRequest } from "../core/job-request.js";
import type { TraceContext } from "../core/trace-context.js";
import { guardTracer, traceEnqueue, type Tracer } from "../core/tracing.js";
import { AuditClient } from "./audit.js";
import { DeadClient } from "./dead.js";
import { EventsClient } from "./events.js";
import { FlowsClient } from "./flows.js";
import { JobsClient } from "./jobs.js";
import { LeasesClient } from "./leases.js";
import { LiveClient } from "./live.js";
import { OperationsClient } from "./operations.js";
import { QueuesClient } from "./queues.js";
import { SchedulesClient } from "./schedules.js";
import { StatsClient } from "./stats.js";
import { TokensClient } from "./tokens.js";
import { Transport, type CallOptions, type ClientOptions } from "./transport.js";
import { wireRequest } from "./wire-request.js";

/**
 * The HTTP API of a Konveier server. Answers are those of `docs/http-api.md`: instants are text.
 *
 * A refusal rejects with `ApiError` (a `KonveierError` with `code`, `faults`, `requestId`), a server that
 * cannot be reached with `ConnectionError`. Requests that are safe to repeat are tried again after
 * network errors and passing refusals: all that read, and all writes that do the same when said twice.
 */
export class KonveierClient {
  readonly jobs: JobsClient;
  readonly queues: QueuesClient;
  readonly dead: DeadClient;
  readonly flows: FlowsClient;
  readonly schedules: SchedulesClient;
  readonly operations: OperationsClient;
  readonly events: EventsClient;
  readonly live: LiveClient;
  readonly stats: StatsClient;
  readonly tokens: TokensClient;
  readonly audit: AuditClient;
  /** For workers. */
  readonly leases: LeasesClient;
  readonly #transport: Transport;
  readonly #tracer: Tracer | null;

  /** @throws TypeError for an address that is none */
  constructor(options: ClientOptions) {
    const { tracing } = options;
    this.#transport = new Transport(options);
    // Who traces sees by the missing spans that it fails; the calls must not.
    this.#tracer = tracing === undefined ? null : guardTracer(tracing, () => undefined);
    this.jobs = new JobsClient(this.#transport);
    this.queues = new QueuesClient(this.#transport);
    this.dead = new DeadClient(this.#transport);
    this.flows = new FlowsClient(this.#transport, this.#tracer);
    this.schedules = new SchedulesClient(this.#transport);
    this.operations = new OperationsClient(this.#transport);
    this.events = new EventsClient(this.#transport);
    this.live = new LiveClient(this.#transport);
    this.stats = new StatsClient(this.#transport);
    this.tokens = new TokensClient(this.#transport);
    this.audit = new AuditClient(this.#transport);
    this.leases = new LeasesClient(this.#transport);
  }

  /** Resolves when the job is durable. Only with an `idempotencyKey` is it tried again by itself. */
  enqueue(job: JobRequest, options: CallOptions = {}): Promise<EnqueuedJobView> {
    const send = (trace: TraceContext | null) =>
      this.#transport.json<EnqueuedJobView>({
        ...options,
        method: "POST",
        path: "/v1/jobs",
        body: wireRequest(job),
        repeatable: job.idempotencyKey !== undefined,
        trace,
      });
    if (this.#tracer === null) return send(null);
    return traceEnqueue(this.#tracer, [job], null, send, ({ id }) => id);
  }

  /** Up to 1000 jobs, all or none. Tried again only when each has an `idempotencyKey`. */
  async enqueueMany(
    jobs: readonly JobRequest[],
    options: CallOptions = {},
  ): Promise<readonly EnqueuedJobView[]> {
    const send = (trace: TraceContext | null) =>
      this.#transport.json<{ items: EnqueuedJobView[] }>({
        ...options,
        method: "POST",
        path: "/v1/jobs/batch",
        body: { jobs: jobs.map(wireRequest) },
        repeatable: jobs.every(({ idempotencyKey }) => idempotencyKey !== undefined),
        trace,
      });
    const tracer = this.#tracer;
    const { items } = await (tracer === null
      ? send(null)
      : traceEnqueue(tracer, jobs, null, send, () => null));
    return items;
  }

  /** Version, limits, retention and, for administrators, settings of the server. */
  info(options: CallOptions = {}): Promise<InfoView> {
    return this.#transport.json({ ...options, method: "GET", path: "/v1/info", repeatable: true });
  }

  /** Names that begin as somebody has begun to type. */
  async suggest(query: SuggestQuery, options: CallOptions = {}): Promise<readonly string[]> {
    const { items } = await this.#transport.json<{ items: string[] }>({
      ...options,
      method: "GET",
      path: "/v1/suggest",
      query,
      repeatable: true,
    });
    return items;
  }

  async workers(options: CallOptions = {}): Promise<readonly WorkerView[]> {
    const { items } = await this.#transport.json<{ items: WorkerView[] }>({
      ...options,
      method: "GET",
      path: "/v1/workers",
      repeatable: true,
    });
    return items;
  }
}
