import type { Logger } from "pino";
import { createContext } from "../engine/context.js";
import { completeRetention } from "../engine/retention.js";
import { Background } from "../engine/loops/background.js";
import { startDemo, type Demo } from "../handlers/demo/demo.js";
import { seedHistory } from "../handlers/demo/history.js";
import { demoJobs } from "../handlers/demo/jobs.js";
import { webhookCall } from "../handlers/webhook/webhook-call.js";
import { openStore } from "../open-store.js";
import { createServer, logEvents, type KonveierServer } from "../server/index.js";
import type { Store } from "../store/store.js";
import { Worker } from "../worker/worker.js";
import type { ServeConfig } from "./serve-config.js";
import type { Tracing } from "./tracing.js";

/** Everything that `konveier serve` runs, on one store: HTTP server, background loops and a worker. */
export class Service {
  #server: KonveierServer | null = null;
  #background: Background | null = null;
  #demo: Demo | null = null;
  #worker: Worker | null = null;
  #starting: Promise<string> | null = null;
  #stopping: Promise<void> | null = null;
  #isStopNear = false;

  private constructor(
    private readonly store: Store,
    private readonly config: ServeConfig,
    private readonly logger: Logger,
    private readonly tracing: Tracing | null,
  ) {}

  /** @throws KonveierError `store_…` that says what to do */
  static async open(config: ServeConfig, logger: Logger, tracing: Tracing | null): Promise<Service> {
    return new Service(await openStore(config.databaseUrl, config.store), config, logger, tracing);
  }

  /** Starts everything. After a failure, `stop` tidies up what had been started. @returns the address */
  start(apiToken: string): Promise<string> {
    this.#starting ??= this.#start(apiToken);
    return this.#starting;
  }

  async #start(apiToken: string): Promise<string> {
    const { config, logger, store } = this;
    // Before anything looks at the store, so that nobody meets half of it.
    const history = config.seedDemo ? await this.#seedHistory() : 0;
    const context = createContext(store, { tracing: this.tracing?.tracer });
    logEvents(context.events, logger);
    const { trustedProxies, environment, effective } = config;
    const facts = { environment, retention: completeRetention(config.retention), settings: effective };
    const server = await createServer({ context, apiToken, logger, trustedProxies, facts });
    const worker = new Worker(context, {
      jobs: [webhookCall(config.webhook), ...(config.seedDemo ? demoJobs() : [])],
      ...config.worker,
    });
    this.#server = server;
    if (this.#isStopNear) server.announceStop();
    const { host, port } = config;
    const url = await server.listen({ host, port });
    this.#background = new Background(context, config.retention);
    this.#background.start();
    if (config.seedDemo) this.#demo = await startDemo(context, history > 0);
    this.#worker = worker;
    await worker.start();
    return url;
  }

  /** A database in memory has one connection, and so no past. */
  async #seedHistory(): Promise<number> {
    const { databaseUrl, database, store } = this.config;
    if (database.kind === "sqlite" && database.file === ":memory:") return 0;
    return seedHistory((clock) => openStore(databaseUrl, { ...store, clock, synchronous: "normal" }));
  }

  /** `/readyz` answers 503 from now on; everything else goes on. */
  announceStop(): void {
    this.#isStopNear = true;
    this.#server?.announceStop();
  }

  /**
   * Stops claiming, gives running jobs `graceMs` to finish, gives the rest back, and closes everything.
   * May be called again with a shorter grace; the shorter one counts.
   */
  async stop(graceMs: number): Promise<void> {
    if (this.#stopping === null) this.#stopping = this.#stop(graceMs);
    else await this.#worker?.stop({ graceMs });
    await this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    // A start that is under way would go on opening what is being closed here.
    await this.#starting?.catch(() => undefined);
    this.#server?.drain();
    await this.#step(this.#demo?.stop());
    await this.#step(this.#worker?.stop({ graceMs }));
    await this.#step(this.#background?.stop());
    await this.#step(this.#server?.close());
    await this.#step(this.tracing?.stop());
    await this.store.close();
  }

  /** What cannot be stopped must not keep the rest from being stopped. */
  async #step(stopped: Promise<unknown> | undefined): Promise<void> {
    try {
      await stopped;
    } catch (error) {
      this.logger.error({ event: "internal.error", err: error, during: "the stop" }, "internal error");
    }
  }
}
