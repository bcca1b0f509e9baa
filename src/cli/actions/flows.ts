import type { FlowDetailView, FlowJobView } from "../../api/flow.js";
import type { FlowState } from "../../core/flow.js";
import { connect } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { requireId } from "../input/ids.js";
import { firstOf } from "../output/first-of.js";
import type { RemoteFlags } from "../remote-flags.js";
import { flowChanged, flowDetail, flowJobList, flowList } from "../views/flow.js";

type ListFlags = RemoteFlags & {
  readonly limit: number;
  readonly state?: FlowState;
  readonly name?: string;
};

export async function listFlows({ limit, state, name, ...flags }: ListFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const filter = { ...(state !== undefined && { state }), ...(name !== undefined && { name }) };
  await output.list(firstOf(client.flows.list(filter), limit), flowList(Date.now()));
  return EXIT.ok;
}

/** The flow with its first jobs, in one document. */
export async function getFlow(
  id: string,
  { limit, ...flags }: RemoteFlags & { readonly limit: number },
): Promise<ExitCode> {
  requireId("flow", id);
  const { client, output } = connect(flags);
  const flow: FlowDetailView = await client.flows.get(id);
  const jobs: FlowJobView[] = [];
  for await (const job of firstOf(client.flows.jobs(id), limit)) jobs.push(job);
  output.one({ ...flow, jobs }, flowDetail(Date.now()));
  if (output.forPeople) await output.list(jobs, flowJobList);
  return EXIT.ok;
}

export async function cancelFlow(id: string, flags: RemoteFlags): Promise<ExitCode> {
  requireId("flow", id);
  const { client, output } = connect(flags);
  output.one(await client.flows.cancel(id), flowChanged);
  return EXIT.ok;
}

export async function retryFlow(id: string, flags: RemoteFlags): Promise<ExitCode> {
  requireId("flow", id);
  const { client, output } = connect(flags);
  output.one(await client.flows.retry(id), flowChanged);
  return EXIT.ok;
}
