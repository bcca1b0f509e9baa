import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { counted, lasting } from "../words.js";

type WorkerSilent = FindingOf<
  "worker_silent",
  { worker: string; host: string; running: number; silentMs: number }
>;

/** A worker that did not say goodbye. Those that had jobs come first. */
export function workerSilent({ now, silentWorkers }: Facts): WorkerSilent[] {
  return silentWorkers
    .map(({ id, host, running, queues, seenAt }) => {
      const silentMs = now - seenAt;
      const jobs = running === 0 ? "it ran no jobs" : `it ran ${counted(running, "job")} then`;
      return {
        code: "worker_silent" as const,
        // Who claims over HTTP and stops between two jobs has nothing to say, and just stays away.
        severity: running > 0 ? ("warning" as const) : ("info" as const),
        since: seenAt,
        detail: `The worker ${id} on ${host} was heard of last ${lasting(silentMs)} ago; ${jobs}.`,
        audience: { queues },
        worker: id,
        host,
        running,
        silentMs,
      };
    })
    .sort((a, b) => b.running - a.running || a.silentMs - b.silentMs);
}
