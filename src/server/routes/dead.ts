import { DEFAULT_DEAD_GROUPS, DeadGroupListView, DeadGroupQuery } from "../../api/dead.js";
import { identityOf } from "../access/guard.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { deadGroupView } from "../views/dead.js";

/** Dead jobs by what they died of. */
export function deadRoutes(app: App, { context: { store } }: Services): void {
  app.get(
    "/v1/dead/groups",
    {
      schema: {
        operationId: "listDeadGroups",
        summary: "Dead jobs by queue, name and what they died of.",
        tags: ["jobs"],
        querystring: DeadGroupQuery,
        response: { 200: DeadGroupListView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const { sort = "count", limit = DEFAULT_DEAD_GROUPS, ...filter } = request.query;
      const groups = await store.dead.groups(filter, identityOf(request).queues, sort, limit + 1);
      return { items: groups.slice(0, limit).map(deadGroupView), more: groups.length > limit };
    },
  );
}
