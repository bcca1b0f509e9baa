import { useCallback, useState } from "react";
import { send } from "../../api/request.js";
import type { DeadGroupView, JobView } from "../../api/types.js";
import { groupKey } from "./group-rows.js";

export interface TrialJob {
  readonly id: string;
  /** Of the claim before the retry. */
  readonly token: number | null;
  /** Why it was not retried. */
  readonly refusal: unknown;
}

/** Some jobs of a group that were retried to see whether they work now. */
export interface Trial {
  readonly jobs: readonly TrialJob[];
  /** Whether jobs are still being retried. */
  readonly retrying: boolean;
}

const BEGINNING: Trial = { jobs: [], retrying: true };

export interface Trials {
  readonly of: (group: DeadGroupView) => Trial | null;
  readonly start: (group: DeadGroupView, jobs: readonly JobView[]) => Promise<void>;
  readonly close: (group: DeadGroupView) => void;
}

export function useTrials(): Trials {
  const [trials, setTrials] = useState<ReadonlyMap<string, Trial>>(new Map());
  const put = useCallback((key: string, change: (trial: Trial) => Trial) => {
    setTrials((now) => new Map(now).set(key, change(now.get(key) ?? BEGINNING)));
  }, []);
  return {
    of: (group) => trials.get(groupKey(group)) ?? null,
    close: (group) => {
      setTrials((now) => new Map([...now].filter(([key]) => key !== groupKey(group))));
    },
    start: async (group, jobs) => {
      const key = groupKey(group);
      put(key, () => BEGINNING);
      for (const { id, token } of jobs) {
        const refusal = await retry(id);
        put(key, (trial) => ({ ...trial, jobs: [...trial.jobs, { id, token, refusal }] }));
      }
      put(key, (trial) => ({ ...trial, retrying: false }));
    },
  };
}

/** @returns why not, or `null` */
async function retry(id: string): Promise<unknown> {
  try {
    await send(`/v1/jobs/${encodeURIComponent(id)}/retry`, { method: "POST" });
    return null;
  } catch (error) {
    return error;
  }
}
