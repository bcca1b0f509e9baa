import type { Logger } from "pino";
import { callAt, type Clock } from "../core/clock.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { StopRequests, type StopStep } from "./stop-requests.js";

/** What can be stopped, again with a shorter grace. */
export interface Stoppable {
  /** Tells those who look that a stop is near. Nothing else changes. */
  announceStop(): void;
  stop(graceMs: number): Promise<void>;
}

export interface SupervisorOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** How long a graceful stop is only announced, so that balancers see it before it begins. */
  readonly delayMs: number;
  readonly graceMs: number;
  /** Ends the process. */
  readonly exit: (code: ExitCode) => void;
  /** Ends the process without asking it. */
  readonly kill: () => void;
}

/** After a defect the state of the process is in doubt: it ends sooner than at a signal. */
const DEFECT_GRACE_MS = 5_000;
/** What a stop may take beyond the grace: aborting handlers, the last outcomes, open connections. */
const STOP_MS = 12_000;
/** The same for a forced stop. */
const FORCED_STOP_MS = 2_000;

/** Stops a service on signals and on defects, and ends the process when that is done or takes too long. */
export class Supervisor {
  #cancelDelay: () => void = () => undefined;
  #exitCode: ExitCode = EXIT.ok;
  #deadline = Number.POSITIVE_INFINITY;
  #cancelDeadline: () => void = () => undefined;
  #ended = false;
  readonly #requests: StopRequests;

  constructor(
    private readonly service: Stoppable,
    private readonly options: SupervisorOptions,
  ) {
    this.#requests = new StopRequests(options.clock, (step) => {
      this.#act(step);
    });
  }

  signalled(signal: NodeJS.Signals): void {
    this.options.logger.debug({ event: "server.signal", signal }, "signal received");
    this.#requests.signalled();
  }

  /** Something threw where nobody caught it. */
  defect(error: unknown): void {
    const { logger, graceMs } = this.options;
    logger.fatal({ event: "server.defect", err: error }, "unexpected error: the server stops");
    this.#exitCode = EXIT.failure;
    this.#stop(Math.min(DEFECT_GRACE_MS, graceMs), STOP_MS);
  }

  #act(step: StopStep): void {
    const { logger, delayMs, graceMs, kill } = this.options;
    switch (step) {
      case "graceful":
        logger.info(
          { event: "server.stopping", delayMs, graceMs },
          "stopping when running jobs have ended or their grace is over; a second signal stops at once",
        );
        this.#stopDelayed();
        break;
      case "forced":
        logger.warn({ event: "server.stop_forced" }, "stopping at once; running jobs are given back");
        this.#exitCode = EXIT.failure;
        this.#stop(0, FORCED_STOP_MS);
        break;
      case "kill":
        kill();
        break;
    }
  }

  #stopDelayed(): void {
    const { clock, delayMs, graceMs } = this.options;
    const stop = (): void => {
      this.#stop(graceMs, STOP_MS);
    };
    if (delayMs === 0) {
      stop();
      return;
    }
    this.service.announceStop();
    this.#cancelDelay = callAt(clock, clock.monotonic() + delayMs, stop);
  }

  #stop(graceMs: number, beyondMs: number): void {
    this.#cancelDelay();
    this.#endWithin(graceMs + beyondMs);
    this.service.stop(graceMs).then(
      () => {
        this.#end(this.#exitCode);
      },
      (error: unknown) => {
        this.options.logger.error(
          { event: "internal.error", err: error, during: "the stop" },
          "internal error",
        );
        this.#end(EXIT.failure);
      },
    );
  }

  #end(code: ExitCode): void {
    if (this.#ended) return;
    this.#ended = true;
    const { logger, exit } = this.options;
    this.#cancelDeadline();
    logger.info({ event: "server.stopped", exitCode: code }, "stopped");
    exit(code);
  }

  /** The sooner deadline counts. */
  #endWithin(ms: number): void {
    const { clock, logger } = this.options;
    const deadline = clock.monotonic() + ms;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    this.#cancelDeadline();
    this.#cancelDeadline = callAt(clock, deadline, () => {
      logger.error(
        { event: "server.stop_timeout" },
        "the stop took too long; what still runs is left behind",
      );
      this.#end(EXIT.failure);
    });
  }
}
