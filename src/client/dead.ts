import type { DeadGroupListView, DeadGroupQuery } from "../api/dead.js";
import type { CallOptions, Transport } from "./transport.js";

/** Dead jobs by what they died of: `client.dead`. */
export class DeadClient {
  constructor(private readonly transport: Transport) {}

  /**
   * Groups of dead jobs, by default those with most jobs first, up to `limit` (100). The jobs of one are found, and
   * retried, with the filter `state:dead fingerprint:… queue:… name:…`.
   */
  groups(query: DeadGroupQuery = {}, options: CallOptions = {}): Promise<DeadGroupListView> {
    return this.transport.json({
      ...options,
      method: "GET",
      path: "/v1/dead/groups",
      query,
      repeatable: true,
    });
  }
}
