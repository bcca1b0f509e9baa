import type { Static } from "typebox";
import type { BulkPreviewBody, BulkPreviewView, OperationView } from "../../api/operation.js";
import type { KonveierClient } from "../../client/client.js";
import { pause } from "../../client/pause.js";
import type { BulkAction } from "../../core/bulk-action.js";
import { systemClock } from "../../core/clock.js";
import { confirm } from "../confirm.js";
import type { Session } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { interruption } from "../interrupt.js";
import type { Output } from "../output/output.js";
import { jobList } from "../views/job.js";
import { operationDetail } from "../views/operation.js";

export interface BulkFlags {
  readonly dryRun?: boolean;
  readonly perSecond?: number;
  readonly reason?: string;
  readonly yes?: boolean;
}

type Preview = Static<typeof BulkPreviewView>;

const FIRST_LOOK_MS = 100;
const LAST_LOOK_MS = 2_000;

/** Shows what a filter matches, asks, starts the operation, and follows it until it is over. */
export async function changeInBulk(
  { client, output }: Session,
  action: BulkAction,
  q: string,
  { dryRun, perSecond, reason, yes }: BulkFlags,
): Promise<ExitCode> {
  if (dryRun === true) {
    await showPreview({ client, output }, { action, q });
    return EXIT.ok;
  }
  const preview = await client.operations.preview({ action, q });
  if (preview.matched === 0 && preview.scan === null) {
    output.message(`Nothing to ${action}: no job that allows it matches ${q}`);
    return EXIT.ok;
  }
  if (yes !== true) tellPreview(output, preview);
  await confirm(`${capital(action)} ${countText(preview)}`, yes);
  const settings = { ...(perSecond !== undefined && { perSecond }), ...(reason !== undefined && { reason }) };
  const { id } = await client.operations.start(preview.previewToken, settings);
  const operation = await followed(client, id, output);
  output.one(operation, operationDetail(Date.now()));
  return operation.state === "completed" ? EXIT.ok : EXIT.failure;
}

/** What would be changed, as the answer to the command. */
export async function showPreview({ client, output }: Session, body: BulkPreviewBody): Promise<void> {
  const preview = await client.operations.preview(body);
  if (output.forPeople) describePreview(output, preview);
  else output.one(withoutToken(preview), { id: ({ q }) => q, fields: () => [] });
}

function describePreview(output: Output, preview: Preview): void {
  output.text(`Would ${preview.action} ${countText(preview)}: ${preview.q}`);
  if (preview.samples.length > 0) output.table(jobList(Date.now()).columns, preview.samples);
}

/** On stderr, before the question. */
function tellPreview(output: Output, preview: Preview): void {
  output.message(`${countText(preview)} match ${preview.q}`);
  for (const { id, state, queue, name } of preview.samples.slice(0, 5)) {
    output.message(`  ${id} ${state} ${queue} ${name}`);
  }
  if (preview.matched > 5) output.message("  …");
}

/** The token starts the operation: it has no place in a log of what would have been changed. */
function withoutToken(preview: Preview): Omit<Preview, "previewToken"> {
  const { action, q, queues, matched, capped, scan, samples, expiresAt } = preview;
  return { action, q, queues, matched, capped, scan, samples, expiresAt };
}

function countText({ matched, capped, scan }: Preview): string {
  const more = capped || (scan !== null && !scan.complete);
  return `${more ? "more than " : ""}${matched} ${matched === 1 ? "job" : "jobs"}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

async function followed(client: KonveierClient, id: string, output: Output): Promise<OperationView> {
  const signal = interruption(
    () =>
      `operation ${id} goes on. \`konveier operations get ${id}\` shows it, \`konveier operations cancel ${id}\` stops it`,
  );
  let told = -1;
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LAST_LOOK_MS)) {
    const operation = await client.operations.get(id, { signal });
    if (operation.state !== "running") return operation;
    const { changed, matched } = operation;
    // As `operationDetail` shows it.
    if (changed !== told) output.message(`${changed} of ${Math.max(matched, changed)} …`);
    told = changed;
    await pause(systemClock, waitMs, signal);
  }
}
