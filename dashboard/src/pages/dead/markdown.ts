import type { DeadGroupView } from "../../api/types.js";

/** A group for a ticket or a chat. Whatever stands in the error cannot leave its block. */
export function groupMarkdown(group: DeadGroupView, jobAddress: string | null): string {
  const { type, message, name, queue, count, firstAt, lastAt, latestJobId, fingerprint } = group;
  const text = `${type}: ${message}`;
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const newest = jobAddress === null ? "" : `- newest: [job ${latestJobId ?? ""}](${jobAddress})\n`;
  return (
    `**${count} dead** · ${code(name)} in queue ${code(queue)}\n\n` +
    `${fence}\n${text}\n${fence}\n\n` +
    `- first: ${firstAt}\n- last: ${lastAt}\n${newest}- fingerprint: ${code(fingerprint)}\n`
  );
}

function code(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  return text.includes("`") ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
