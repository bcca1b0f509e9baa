import type { WaitView } from "../../api/event.js";
import type { KonveierClient } from "../../client/client.js";
import type { JobRequest } from "../../core/job-request.js";
import type { ConflictPolicy } from "../../core/unique.js";
import { CommandError } from "../command-error.js";
import { connect, type Session } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { namingArguments } from "../input/argument-faults.js";
import { payloadOf, type PayloadFlags } from "../input/json-text.js";
import { interruption } from "../interrupt.js";
import { exactDuration } from "../output/time-text.js";
import type { RemoteFlags } from "../remote-flags.js";
import { jobList } from "../views/job.js";
import { enqueueBatch } from "./enqueue-batch.js";

export interface EnqueueFlags extends RemoteFlags, PayloadFlags {
  readonly queue?: string;
  readonly delay?: number;
  readonly runAt?: string;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly timeout?: number;
  readonly key?: string;
  readonly unique?: string;
  readonly onConflict?: ConflictPolicy;
  readonly expiresIn?: number;
  readonly tag?: readonly string[];
  readonly concurrencyKey?: string;
  readonly rateKey?: string;
  readonly wait?: boolean;
  readonly waitTimeout?: number;
  readonly batch?: string;
}

const DEFAULT_WAIT_MS = 60_000;
const ARGUMENTS = {
  "/name": "the name",
  "/queue": "--queue",
  "/payload": "the payload",
  "/runAt": "--run-at",
  "/delayMs": "--delay",
  "/timeoutMs": "--timeout",
  "/idempotencyKey": "--key",
  "/unique/key": "--unique",
  "/unique/onConflict": "--on-conflict",
  "/expiresInMs": "--expires-in",
  "/tags": "--tag",
  "/concurrencyKey": "--concurrency-key",
  "/rateKey": "--rate-key",
};
const REMOTE = new Set(["url", "tokenFile", "output", "batch"]);

export async function enqueueJob(name: string | undefined, flags: EnqueueFlags): Promise<ExitCode> {
  if (flags.batch !== undefined) {
    const other = Object.keys(flags).find((option) => !REMOTE.has(option));
    if (name === undefined && other === undefined) return enqueueBatch(connect(flags), flags.batch);
    throw new CommandError("--batch goes alone: each line of the file says all about its job", EXIT.usage);
  }
  if (name === undefined) throw new CommandError("say the name of the job, or give a --batch", EXIT.usage);
  if (flags.waitTimeout !== undefined && flags.wait !== true) {
    throw new CommandError("--wait-timeout is for --wait", EXIT.usage);
  }
  if (flags.onConflict !== undefined && flags.unique === undefined) {
    throw new CommandError("--on-conflict is for --unique", EXIT.usage);
  }
  const request = requestOf(name, flags, await payloadOf(flags));
  const session = connect(flags);
  const job = await namingArguments(ARGUMENTS, session.client.enqueue(request));
  if (flags.wait === true) return waitFor(session, job.id, flags.waitTimeout ?? DEFAULT_WAIT_MS);
  const { output } = session;
  if (job.deduplicated === true) output.message(alreadyThere(job.id, flags.onConflict));
  if (output.forPeople) await output.list([job], jobList(Date.now()));
  else output.one(job, { id: ({ id }) => id, fields: () => [] });
  return EXIT.ok;
}

function alreadyThere(id: string, onConflict: ConflictPolicy | undefined): string {
  const text = `Its job ${id} is there already.`;
  if (onConflict === "replace") return `${text} If it waits, it is what you have just said now.`;
  if (onConflict === "reschedule") return `${text} If it waits, its time is the one that you have just said.`;
  return text;
}

function requestOf(name: string, flags: EnqueueFlags, payload: unknown): JobRequest {
  const { queue, delay, runAt, priority, maxAttempts, timeout, key, tag } = flags;
  const { unique, onConflict, expiresIn, concurrencyKey, rateKey } = flags;
  return {
    name,
    ...(payload !== undefined && { payload }),
    ...(queue !== undefined && { queue }),
    ...(delay !== undefined && { delayMs: delay }),
    ...(runAt !== undefined && { runAt }),
    ...(priority !== undefined && { priority }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(unique !== undefined && { unique: { key: unique, ...(onConflict !== undefined && { onConflict }) } }),
    ...(expiresIn !== undefined && { expiresInMs: expiresIn }),
    ...(tag !== undefined && { tags: tag }),
    ...(concurrencyKey !== undefined && { concurrencyKey }),
    ...(rateKey !== undefined && { rateKey }),
  };
}

async function waitFor({ client, output }: Session, id: string, withinMs: number): Promise<ExitCode> {
  const signal = interruption(() => `job ${id} goes on. \`konveier jobs get ${id}\` shows it`);
  const job = await client.jobs.wait(id, { withinMs, signal });
  if (job.state === "completed") {
    output.stored(JSON.stringify(job.result));
    return EXIT.ok;
  }
  if (job.finished) throw new CommandError(endText(job), EXIT.jobFailed);
  throw new CommandError(
    `job ${id} is still ${job.state} after ${exactDuration(withinMs)}. ${await reasonOf(client, id)}\`konveier jobs get ${id}\` shows it`,
    EXIT.failure,
  );
}

/** Why it has not ended, as a sentence; nothing where the token may not ask. */
async function reasonOf(client: KonveierClient, id: string): Promise<string> {
  const explanation = await client.jobs.explain(id).catch(() => null);
  return explanation === null ? "" : `${explanation.detail} `;
}

function endText({ id, state, attempt, lastError }: WaitView): string {
  const after = attempt === 1 ? "1 attempt" : `${attempt} attempts`;
  const why = lastError === null ? "" : `: ${lastError.type}: ${lastError.message}`;
  return `job ${id} is ${state} after ${after}${why}`;
}
