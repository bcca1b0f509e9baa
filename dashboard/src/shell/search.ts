import { jobPath, jobsPath, queuePath } from "./routes.js";

/** Where a search leads: to the job of this number, to the queue of this name, or to the jobs that a filter matches. */
export function searchPath(text: string, queues: readonly string[]): string {
  const wanted = text.trim();
  const [, id] = /^#?(\d+)$/.exec(wanted) ?? [];
  if (id !== undefined) return jobPath(id);
  return queues.includes(wanted) ? queuePath(wanted) : jobsPath(wanted);
}

const SHOWN = 5;

/** Queues that may be meant: the name as it is typed somewhere in theirs, those that begin so first. */
export function queuesFor(text: string, queues: readonly string[]): readonly string[] {
  const typed = text.trim().toLowerCase();
  if (typed === "") return [];
  const places = queues
    .map((name) => ({ name, at: name.toLowerCase().indexOf(typed) }))
    .filter(({ at }) => at >= 0);
  return places
    .sort((a, b) => Number(a.at > 0) - Number(b.at > 0) || a.name.localeCompare(b.name))
    .slice(0, SHOWN)
    .map(({ name }) => name);
}
