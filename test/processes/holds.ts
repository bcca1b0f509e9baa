import { isFinished, JOB_STATES } from "../../src/core/states.js";
import type { Store } from "../../src/store/store.js";

/** Resolves when the condition holds. Looks again after every change that is made outside of this store. */
export function holds(store: Store, condition: () => Promise<boolean>): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = async (): Promise<void> => {
      if (!(await condition())) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = store.onChange(() => {
      look().catch(reject);
    });
    look().catch(reject);
  });
}

/** Resolves when every job of the database is finished. */
export function allFinished(store: Store): Promise<void> {
  const unfinished = JOB_STATES.filter((state) => !isFinished(state));
  return holds(store, async () => {
    const queues = await store.queues.list();
    return queues.every(({ counts }) => unfinished.every((state) => counts[state] === 0));
  });
}
