import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/** Reads again what shows schedules, after an action: who pressed the button sees at once what it did. */
export function useSchedulesChanged(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    const shown = ["schedules", "schedule", "schedule-runs"];
    await client.invalidateQueries({ predicate: ({ queryKey }) => shown.includes(String(queryKey[0])) });
  }, [client]);
}
