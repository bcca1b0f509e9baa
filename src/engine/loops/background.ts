import type { Retention } from "../../store/maintenance.js";
import type { EngineContext } from "../context.js";
import { completeRetention } from "../retention.js";
import { createBulkRunner } from "./bulk-runner.js";
import { createExpirer } from "./expirer.js";
import { createFlowKeeper } from "./flow-keeper.js";
import { createLookout } from "./lookout.js";
import { createPromoter } from "./promoter.js";
import { createPruner } from "./pruner.js";
import { createReaper } from "./reaper.js";
import { createScheduler } from "./scheduler.js";

/**
 * The loops that keep the store in order. Every process that runs workers or serves HTTP runs them: all
 * their writes are guarded, so any number of them is safe and none is the leader.
 */
export class Background {
  readonly #promoter;
  readonly #scheduler;
  readonly #loops;
  #unsubscribe: (() => void) | null = null;

  constructor(
    private readonly context: EngineContext,
    retention?: Partial<Retention>,
  ) {
    this.#promoter = createPromoter(context);
    this.#scheduler = createScheduler(context);
    this.#loops = [
      this.#promoter,
      this.#scheduler,
      createReaper(context),
      createExpirer(context),
      createPruner(context, completeRetention(retention)),
      createBulkRunner(context),
      createFlowKeeper(context),
      createLookout(context),
    ];
  }

  start(): void {
    this.#unsubscribe ??= this.context.store.onChange(({ scheduled, schedules }) => {
      if (scheduled) this.#promoter.nudge();
      if (schedules) this.#scheduler.nudge();
    });
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }
}
