import type { WorkerView } from "../../api/worker.js";
import { formatInstant } from "../../core/instant.js";
import type { WorkerRecord } from "../../store/workers.js";
import { NO_PID } from "../claims/remote-workers.js";

/** Without the token that the worker claims with: not everybody may know it. */
export function workerView(worker: WorkerRecord): WorkerView {
  const { id, host, pid, queues, names, concurrency, running, state } = worker;
  return {
    id,
    host,
    pid: pid === NO_PID ? null : pid,
    queues: [...queues],
    names: names === null ? null : [...names],
    concurrency,
    running,
    state,
    startedAt: formatInstant(worker.startedAt),
    seenAt: formatInstant(worker.seenAt),
  };
}
