import { connect } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { firstOf } from "../output/first-of.js";
import type { RemoteFlags } from "../remote-flags.js";
import { operationDetail, operationList } from "../views/operation.js";

export async function listOperations({
  limit,
  ...flags
}: RemoteFlags & { limit: number }): Promise<ExitCode> {
  const { client, output } = connect(flags);
  await output.list(firstOf(client.operations.list(), limit), operationList(Date.now()));
  return EXIT.ok;
}

export async function getOperation(id: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.operations.get(id), operationDetail(Date.now()));
  return EXIT.ok;
}

export async function cancelOperation(id: string, flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  output.one(await client.operations.cancel(id), operationDetail(Date.now()));
  return EXIT.ok;
}
