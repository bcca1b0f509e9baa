import type { EventView } from "../../api/event.js";
import { formatInstant } from "../../core/instant.js";
import type { JournalEvent } from "../../core/journal.js";
import { instantOrNull } from "./job.js";

/** Named field by field: what a store adds for its own use never reaches clients by itself. */
export function eventView(event: JournalEvent): EventView {
  const { seq } = event;
  const at = formatInstant(event.at);
  switch (event.type) {
    case "job": {
      const { type, id, queue, name, transition, from, to, attempt } = event;
      return { seq, at, type, id, queue, name, transition, from, to, attempt };
    }
    case "queue": {
      const { type, name, action } = event;
      return { seq, at, type, name, action };
    }
    case "schedule": {
      const { type, key, queue, action, slot, jobId } = event;
      return { seq, at, type, key, queue, action, slot: instantOrNull(slot), jobId };
    }
    case "operation": {
      const { type, id, action, changed } = event;
      return { seq, at, type, id, action, changed };
    }
  }
}
