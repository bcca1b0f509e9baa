import { connect } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { firstOf } from "../output/first-of.js";
import type { RemoteFlags } from "../remote-flags.js";
import { auditList } from "../views/audit.js";
import { statsColumns } from "../views/stats.js";
import { workerList } from "../views/worker.js";

export async function listWorkers(flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  await output.list(await client.workers(), workerList(Date.now()));
  return EXIT.ok;
}

export async function showStats(flags: RemoteFlags): Promise<ExitCode> {
  const { client, output } = connect(flags);
  const overview = await client.stats.overview();
  if (output.forPeople) {
    const { all, queues } = overview;
    const total = { name: "all", pausedAt: null, pauseReason: null, ...all };
    output.table(statsColumns(Date.now()), [...queues, total]);
    output.message(`FAILED counts attempts. The last four columns: since ${overview.since}.`);
  } else output.one(overview, { id: ({ at }) => at, fields: () => [] });
  return EXIT.ok;
}

export async function listAudit({ limit, ...flags }: RemoteFlags & { limit: number }): Promise<ExitCode> {
  const { client, output } = connect(flags);
  await output.list(firstOf(client.audit.list(), limit), auditList(Date.now()));
  return EXIT.ok;
}
