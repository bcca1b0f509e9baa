import type { CountQuery } from "../../api/job-list.js";
import type { LogLineView } from "../../api/job.js";
import type { KonveierClient } from "../../client/client.js";
import { CommandError } from "../command-error.js";
import { connect } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import type { RemoteFlags } from "../remote-flags.js";
import { requireId } from "../input/ids.js";
import { attemptList, explanationDetail, jobDetail, jobList, logList, stepList } from "../views/job.js";

const DEFAULT_LIMIT = 50;
const PAGE = 500;

export interface FilterFlags extends RemoteFlags {
  readonly query?: string;
}

export interface ListFlags extends FilterFlags {
  readonly limit?: number;
}

export async function listJobs({ query, limit = DEFAULT_LIMIT, ...flags }: ListFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const rest = { more: false };
  const jobs = client.jobs.list({ ...filterOf(query), limit: Math.min(limit + 1, PAGE) });
  async function* upToLimit() {
    let count = 0;
    for await (const job of jobs) {
      count += 1;
      rest.more = count > limit;
      if (rest.more) return;
      yield job;
    }
  }
  await output.list(upToLimit(), jobList(Date.now()));
  if (rest.more) output.message(`These are the first ${limit}; --limit shows more.`);
  return EXIT.ok;
}

export async function countJobs({ query, ...flags }: FilterFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const counted = await client.jobs.count(filterOf(query));
  const { count, capped, scan } = counted;
  output.one(counted, {
    id: () => String(count),
    fields: () => [["jobs", capped ? `more than ${count}` : String(count)]],
  });
  if (scan !== null && !scan.complete) {
    output.message(
      `No index answers this filter: only ${scan.examined} jobs were looked at. There may be more.`,
    );
  }
  return EXIT.ok;
}

export async function explainJob(id: string, flags: RemoteFlags): Promise<ExitCode> {
  requireId("job", id);
  const { client, output } = connect(flags);
  output.one(await client.jobs.explain(id), explanationDetail(id));
  return EXIT.ok;
}

export interface GetFlags extends RemoteFlags {
  readonly payload?: boolean;
  readonly result?: boolean;
  readonly attempts?: boolean;
  readonly steps?: boolean;
  readonly logs?: boolean;
}

export async function getJob(
  id: string,
  { payload, result, attempts, steps, logs, ...flags }: GetFlags,
): Promise<ExitCode> {
  const parts = [payload, result, attempts, steps, logs].filter((part) => part === true);
  if (parts.length > 1) {
    throw new CommandError("--payload, --result, --attempts, --steps and --logs: one at a time", EXIT.usage);
  }
  requireId("job", id);
  const { client, output } = connect(flags);
  const now = Date.now();
  if (payload === true) output.stored(await client.jobs.payloadText(id));
  else if (result === true) output.stored(await client.jobs.resultText(id));
  else if (attempts === true) await output.list(await client.jobs.attempts(id), attemptList(now));
  else if (steps === true) await output.list(await client.jobs.steps(id), stepList);
  else if (logs === true) await output.list(allLogs(client, id), logList);
  else output.one(await client.jobs.get(id), jobDetail(now));
  return EXIT.ok;
}

async function* allLogs(client: KonveierClient, id: string): AsyncGenerator<LogLineView> {
  for (let after = 0; ;) {
    const lines = await client.jobs.logs(id, { after });
    yield* lines;
    const last = lines.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

function filterOf(query: string | undefined): CountQuery {
  return query === undefined ? {} : { q: query };
}
