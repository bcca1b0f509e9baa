import { nearestName } from "../../core/nearest-name.js";
import type { OnFull } from "../../core/queue-limits.js";
import { CommandError } from "../command-error.js";
import { connect } from "../connect.js";
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

export async function limitQueue(
  name: string,
  {
    maxLength,
    onFull,
    ...flags
  }: RemoteFlags & { readonly maxLength?: number | null; readonly onFull?: OnFull },
): Promise<ExitCode> {
  if (maxLength === undefined && onFull === undefined) {
    throw new CommandError("say --max-length, --on-full or both", EXIT.usage);
  }
  const { client, output } = connect(flags);
  const edit = { ...(maxLength !== undefined && { maxLength }), ...(onFull !== undefined && { onFull }) };
  output.one(await client.queues.edit(name, edit), queueDetail(Date.now()));
  return EXIT.ok;
}

export async function pauseQueue(
  name: string,
  { reason, ...flags }: RemoteFlags & { readonly reason?: string },
): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const known = (await client.queues.list()).map((queue) => queue.name);
  output.one(await client.queues.pause(name, reason), queueDetail(Date.now()));
  // It may be one that is still to come, and is more often a slip of the finger.
  if (!known.includes(name)) {
    const nearest = nearestName(name, known);
    const advice = nearest === null ? "" : `; did you mean ${nearest}?`;
    output.message(`no job has been in ${name} so far${advice}`);
  }
  return EXIT.ok;
}

export async function resumeQueue(name: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.queues.resume(name), queueDetail(Date.now()));
  return EXIT.ok;
}
