import type { JobView } from "../../api/job.js";
import type { KonveierClient } from "../../client/client.js";
import { ApiError } from "../../client/errors.js";
import type { BulkAction } from "../../core/bulk-action.js";
import { CommandError } from "../command-error.js";
import { connect } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { failureOf } from "../failure.js";
import { idsOf } from "../input/ids.js";
import type { RemoteFlags } from "../remote-flags.js";
import { deletedList, jobList } from "../views/job.js";
import { changeInBulk, showPreview, type BulkFlags } from "./bulk.js";

export type ChangeFlags = RemoteFlags & BulkFlags & { readonly query?: string; readonly force?: boolean };

export function retryJobs(ids: readonly string[], flags: ChangeFlags): Promise<ExitCode> {
  return change("retry", ids, flags, (client, id) => client.jobs.retry(id));
}

export function cancelJobs(ids: readonly string[], flags: ChangeFlags): Promise<ExitCode> {
  return change("cancel", ids, flags, (client, id) => client.jobs.cancel(id));
}

export async function runJobsNow(ids: readonly string[], flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const each = new Each(await idsOf(ids));
  await output.list(
    each.run((id) => client.jobs.runNow(id)),
    jobList(Date.now()),
  );
  return each.exitCode();
}

export async function deleteJobs(ids: readonly string[], flags: ChangeFlags): Promise<ExitCode> {
  const { query, force } = flags;
  requireOne(ids, flags);
  if (query !== undefined) {
    if (force === true)
      throw new CommandError("--force is for ids: a filter never takes running jobs", EXIT.usage);
    return changeInBulk(connect(flags), "delete", query, flags);
  }
  if (flags.dryRun === true) return previewOfIds("delete", ids, flags);
  const { client, output } = connect(flags);
  const each = new Each(await idsOf(ids));
  const remove = async (id: string) => {
    await client.jobs.delete(id, { ...(force !== undefined && { force }) });
    return { id, deleted: true } as const;
  };
  await output.list(each.run(remove), deletedList);
  return each.exitCode();
}

async function change(
  action: BulkAction,
  ids: readonly string[],
  flags: ChangeFlags,
  changeOne: (client: KonveierClient, id: string) => Promise<JobView>,
): Promise<ExitCode> {
  requireOne(ids, flags);
  if (flags.query !== undefined) return changeInBulk(connect(flags), action, flags.query, flags);
  if (flags.dryRun === true) return previewOfIds(action, ids, flags);
  const { client, output } = connect(flags);
  const each = new Each(await idsOf(ids));
  await output.list(
    each.run((id) => changeOne(client, id)),
    jobList(Date.now()),
  );
  return each.exitCode();
}

function requireOne(ids: readonly string[], { query, perSecond, reason }: ChangeFlags): void {
  if (ids.length > 0 === (query !== undefined)) {
    throw new CommandError("name jobs by their ids, or all that match a filter with -q", EXIT.usage);
  }
  if (query === undefined && (perSecond !== undefined || reason !== undefined)) {
    throw new CommandError("--per-second and --reason are for a filter: give one with -q", EXIT.usage);
  }
}

async function previewOfIds(
  action: BulkAction,
  ids: readonly string[],
  flags: ChangeFlags,
): Promise<ExitCode> {
  const session = connect(flags);
  const named = await idsOf(ids);
  if (named.length > 0) await showPreview(session, { action, ids: [...named] });
  return EXIT.ok;
}

/** Does the same to each of several things. What fails for one of them is told, and the rest goes on. */
class Each {
  readonly #failures: ExitCode[] = [];

  constructor(private readonly ids: readonly string[]) {}

  async *run<Result>(act: (id: string) => Promise<Result>): AsyncGenerator<Result, void, undefined> {
    for (const id of this.ids) {
      const done = await act(id).catch((error: unknown) => this.#failed(error));
      if (done !== null) yield done;
    }
  }

  #failed(error: unknown): null {
    // Anything else would fail for the next ones too.
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error;
    const { text, exitCode } = failureOf(error);
    console.error(`konveier: ${text}`);
    this.#failures.push(exitCode);
    return null;
  }

  exitCode(): ExitCode {
    const [first = EXIT.ok] = this.#failures;
    return this.ids.length === 1 ? first : first === EXIT.ok ? EXIT.ok : EXIT.partial;
  }
}
