import type { LiveChangeView, LiveQueueView, LiveSnapshotView } from "../../api/live.js";
import { formatInstant } from "../../core/instant.js";
import type { Instant } from "../../core/job.js";
import { coversQueue } from "../../core/queue-globs.js";
import type { LiveChange } from "../../engine/live/change.js";
import type { LiveReading } from "../../store/live.js";
import type { Queue } from "../../store/queues.js";
import { version } from "../version.js";
import { instantOrNull } from "./job.js";

/** Read once: the file may be replaced by an update while this program runs. */
const VERSION = version();

/** @param globs of the queues that the client may see; `null`: all */
export function liveSnapshotView(
  { queues }: LiveReading,
  at: Instant,
  globs: readonly string[] | null,
): LiveSnapshotView {
  return { at: formatInstant(at), version: VERSION, queues: visible(queues, globs).map(liveQueueView) };
}

export function liveChangeView(
  { queues, gone, topics }: LiveChange,
  at: Instant,
  globs: readonly string[] | null,
): LiveChangeView {
  return {
    at: formatInstant(at),
    queues: visible(queues, globs).map(liveQueueView),
    gone: gone.filter((name) => coversQueue(globs, name)),
    // Whose jobs or schedules have changed is not known here, so a client that may see some queues is only told that
    // the database was written.
    topics: globs === null ? [...topics] : ["other"],
  };
}

function visible(queues: readonly Queue[], globs: readonly string[] | null): readonly Queue[] {
  return globs === null ? queues : queues.filter(({ name }) => coversQueue(globs, name));
}

function liveQueueView({ name, pausedAt, counts, oldestPendingAt }: Queue): LiveQueueView {
  return {
    name,
    pausedAt: instantOrNull(pausedAt),
    counts: { ...counts },
    oldestPendingAt: instantOrNull(oldestPendingAt),
  };
}
