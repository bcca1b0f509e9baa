import { useQueuesQuery } from "../api/queries.js";

/** Dead jobs of all queues that the token may see. */
export function useDeadCount(): number {
  const { data } = useQueuesQuery();
  return data?.items.reduce((sum, { counts }) => sum + counts.dead, 0) ?? 0;
}
