import type { DeadGroupView } from "../../api/dead.js";
import { formatInstant } from "../../core/instant.js";
import type { DeadGroup } from "../../store/dead.js";

export function deadGroupView(group: DeadGroup): DeadGroupView {
  return {
    fingerprint: group.fingerprint,
    queue: group.queue,
    name: group.name,
    type: group.type,
    message: group.message,
    count: group.count,
    firstAt: formatInstant(group.firstAt),
    lastAt: formatInstant(group.lastAt),
    latestJobId: group.latestJobId,
  };
}
