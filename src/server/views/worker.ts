import type { WorkerView } from "../../api/worker.js";
import { formatInstant } from "../../core/instant.js";
import type { WorkerRecord } from "../../store/workers.js";
import { NO_PID } from "../claims/remote-workers.js";

export function workerView(worker: WorkerRecord): WorkerView {
  return {
    ...worker,
    pid: worker.pid === NO_PID ? null : worker.pid,
    queues: [...worker.queues],
    names: worker.names === null ? null : [...worker.names],
    startedAt: formatInstant(worker.startedAt),
    seenAt: formatInstant(worker.seenAt),
  };
}
