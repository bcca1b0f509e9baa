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

export async function pauseQueue(
  name: string,
  { reason, ...flags }: RemoteFlags & { readonly reason?: string },
): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.queues.pause(name, reason), queueDetail(Date.now()));
  return EXIT.ok;
}

export async function resumeQueue(name: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.queues.resume(name), queueDetail(Date.now()));
  return EXIT.ok;
}
