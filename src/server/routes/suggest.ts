import { DEFAULT_SUGGESTIONS, SuggestQuery, SuggestView } from "../../api/suggest.js";
import { coversQueue } from "../../core/queue-globs.js";
import { WORKER_TIMEOUT_MS } from "../../engine/worker-timeout.js";
import type { Store } from "../../store/store.js";
import { identityOf } from "../access/guard.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";

/** Names for who begins to type one. */
export function suggestRoute(app: App, { context: { store } }: Services): void {
  app.get(
    "/v1/suggest",
    {
      schema: {
        operationId: "suggest",
        summary: "Names that begin as somebody has begun to type.",
        tags: ["jobs"],
        querystring: SuggestQuery,
        response: { 200: SuggestView },
      },
      config: { access: "read" },
    },
    async (request) => ({ items: [...(await suggest(store, request.query, identityOf(request).queues))] }),
  );
}

async function suggest(
  { suggestions, workers }: Store,
  { field, prefix = "", limit = DEFAULT_SUGGESTIONS }: SuggestQuery,
  globs: readonly string[] | null,
): Promise<readonly string[]> {
  switch (field) {
    case "queue":
      return suggestions.queues(prefix, globs, limit);
    case "name":
      return suggestions.names(prefix, globs, limit);
    case "schedule":
      return suggestions.schedules(prefix, globs, limit);
    case "tag":
      // Of which queues a tag's jobs are is known to the jobs alone, and there may be millions.
      return globs === null ? suggestions.tags(prefix, limit) : [];
    case "worker": {
      const live = await workers.list(WORKER_TIMEOUT_MS);
      const visible = live.filter(({ queues }) => queues.some((queue) => coversQueue(globs, queue)));
      const ids = new Set(visible.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
      return [...ids].slice(0, limit);
    }
  }
}
