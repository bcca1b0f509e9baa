import { nearestName } from "../../core/nearest-name.js";
import type { OnFull, RateLimit } from "../../core/queue-limits.js";
import { CommandError } from "../command-error.js";
import { nullIfNone } from "../input/options.js";
import { namingArguments } from "../input/argument-faults.js";
import { connect, type Session } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import type { RemoteFlags } from "../remote-flags.js";
import { queueDetail, queueList } from "../views/queue.js";

export async function listQueues(flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  await output.list(await client.queues.list(), queueList(Date.now()));
  return EXIT.ok;
}

export async function getQueue(name: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.queues.get(name), queueDetail(Date.now()));
  return EXIT.ok;
}

export interface LimitFlags extends RemoteFlags {
  readonly concurrency?: number | "none";
  readonly rate?: RateLimit | "none";
  readonly keyConcurrency?: number | "none";
  readonly keyRate?: RateLimit | "none";
  readonly ageing?: number | "none";
  readonly maxLength?: number | "none";
  readonly onFull?: OnFull;
}

const ARGUMENTS = {
  "/rateLimit/max": "the number of --rate",
  "/rateLimit/perMs": "the time of --rate",
  "/perKey/rateLimit/max": "the number of --key-rate",
  "/perKey/rateLimit/perMs": "the time of --key-rate",
  "/ageingMs": "--ageing",
};

export async function limitQueue(name: string, flags: LimitFlags): Promise<ExitCode> {
  const { concurrency, rate, ageing, keyConcurrency, keyRate, maxLength, onFull, ...remote } = flags;
  const ofKeys = { concurrency: nullIfNone(keyConcurrency), rateLimit: nullIfNone(keyRate) };
  const perKey = keyConcurrency === undefined && keyRate === undefined ? undefined : ofKeys;
  const change = {
    concurrency: nullIfNone(concurrency),
    rateLimit: nullIfNone(rate),
    ageingMs: nullIfNone(ageing),
    perKey,
    maxLength: nullIfNone(maxLength),
    onFull,
  };
  if (Object.values(change).every((limit) => limit === undefined)) {
    throw new CommandError("say which limit to change, such as --concurrency 20", EXIT.usage);
  }
  const session = connect(remote);
  const tell = await hintAtUnknown(session, name);
  const edit = session.client.queues.edit(name, change);
  session.output.one(await namingArguments(ARGUMENTS, edit), queueDetail(Date.now()));
  tell();
  return EXIT.ok;
}

export async function pauseQueue(
  name: string,
  { reason, ...flags }: RemoteFlags & { readonly reason?: string },
): Promise<ExitCode> {
  const session = connect(flags);
  const tell = await hintAtUnknown(session, name);
  session.output.one(await session.client.queues.pause(name, reason), queueDetail(Date.now()));
  tell();
  return EXIT.ok;
}

/**
 * A queue that is not there yet may be one that is still to come, and is more often a slip of the finger.
 *
 * @returns says so, once the queue has been changed
 */
async function hintAtUnknown({ client, output }: Session, name: string): Promise<() => void> {
  const known = (await client.queues.list()).map((queue) => queue.name);
  return () => {
    if (known.includes(name)) return;
    const nearest = nearestName(name, known);
    const advice = nearest === null ? "" : `; did you mean ${nearest}?`;
    output.message(`no job has been in ${name} so far${advice}`);
  };
}

export async function resumeQueue(name: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.queues.resume(name), queueDetail(Date.now()));
  return EXIT.ok;
}
