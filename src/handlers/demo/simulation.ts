import type { Clock } from "../../core/clock.js";
import { callAt } from "../../core/clock.js";
import { NonRetryableError, RetryAfter } from "../../core/outcomes.js";
import type { JobContext } from "../../core/define-job.js";

/** What a demo job shall do, in its payload as `simulate`. All of it is optional. */
export interface Simulation {
  /** How long an attempt takes. */
  readonly takesMs?: number;
  /** So many attempts fail, the later ones do not. */
  readonly failAttempts?: number;
  /** What they fail with. */
  readonly error?: string;
  /** The first failure is the last: there is no use in trying again. */
  readonly final?: boolean;
  /** How long the other side asks to wait after a failure. */
  readonly retryAfterMs?: number;
}

/** Goes before every text of a demo job, so that nobody takes it for work that was done. */
export const SIMULATED = "simulated:";

/** Long work still shows that it moves. */
const LONGEST_TICK_MS = 3_000;
const LONGEST_MS = 24 * 3_600_000;

/** Passes the time that real work would take, stage by stage, with its log and progress; may fail as told. */
export async function simulate(
  context: JobContext,
  clock: Clock,
  stages: readonly string[],
  { takesMs: wanted = usualMs(context.token), ...failure }: Simulation,
): Promise<void> {
  // Written so that NaN, of whatever else stood there, becomes 0.
  const takesMs = wanted > 0 ? Math.min(wanted, LONGEST_MS) : 0;
  const ticks = Math.max(stages.length, Math.ceil(takesMs / LONGEST_TICK_MS));
  let present: string | undefined;
  for (let tick = 0; tick < ticks; tick += 1) {
    const stage = stages[Math.floor((tick * stages.length) / ticks)] ?? "";
    if (stage !== present) await context.log(`${SIMULATED} ${stage}`);
    present = stage;
    await passTime(clock, Math.round(takesMs / ticks), context.signal);
    if (tick >= (ticks - 1) / 2) await failAsTold(context, failure);
    await context.progress(((tick + 1) / ticks) * 100, `${SIMULATED} ${stage}`);
  }
}

/** 150 to 900 ms, different from job to job. */
function usualMs(token: number): number {
  return 150 + ((token * 137) % 750);
}

async function failAsTold(
  context: JobContext,
  { failAttempts = 0, error = "the other side did not answer", final, retryAfterMs }: Simulation,
): Promise<void> {
  if (context.job.attempt > failAttempts) return;
  const message = `${SIMULATED} ${error}`;
  await context.log(message, final === true ? "error" : "warn");
  if (final === true) throw new NonRetryableError(message);
  if (retryAfterMs !== undefined) throw new RetryAfter(retryAfterMs, message);
  throw new Error(message);
}

/** Resolves after `ms`; rejects with the signal's reason as soon as that aborts. */
function passTime(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      cancel();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason of a job's signal is always an error
      reject(signal.reason);
    };
    const cancel = callAt(clock, clock.monotonic() + ms, () => {
      signal.removeEventListener("abort", aborted);
      resolve();
    });
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
  });
}
