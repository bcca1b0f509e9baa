import { describe } from "vitest";
import type { StoreFactory } from "../support/store-factory.js";
import { cancelContract } from "./cancel.js";
import { changesContract } from "./changes.js";
import { claimIdsContract } from "./claim-ids.js";
import { claimContract } from "./claim.js";
import { Contract, type Skips } from "./contract.js";
import { deleteContract } from "./delete.js";
import { enqueueContract } from "./enqueue.js";
import { extendContract } from "./extend.js";
import { fencingContract } from "./fencing.js";
import { idempotencyContract } from "./idempotency.js";
import { lifecycleContract } from "./lifecycle.js";
import { listContract } from "./list.js";
import { modelContract } from "./model.js";
import { notesContract } from "./notes.js";
import { promoteContract } from "./promote.js";
import { pruneContract } from "./prune.js";
import { queuesContract } from "./queues.js";
import { reapContract } from "./reap.js";
import { reviveContract } from "./revive.js";
import { runNowContract } from "./run-now.js";
import { schedulesContract } from "./schedules.js";
import { settleContract } from "./settle.js";
import { statsContract } from "./stats.js";
import { workersContract } from "./workers.js";

/** What every store must do. A store may skip a test only with a written reason. */
export function describeStore(name: string, factory: StoreFactory, skips: Skips = {}): void {
  describe(`${name} store`, () => {
    const contract = new Contract(factory, skips);
    enqueueContract(contract);
    idempotencyContract(contract);
    claimContract(contract);
    claimIdsContract(contract);
    settleContract(contract);
    fencingContract(contract);
    extendContract(contract);
    reapContract(contract);
    promoteContract(contract);
    cancelContract(contract);
    reviveContract(contract);
    runNowContract(contract);
    deleteContract(contract);
    listContract(contract);
    notesContract(contract);
    queuesContract(contract);
    statsContract(contract);
    workersContract(contract);
    schedulesContract(contract);
    pruneContract(contract);
    changesContract(contract);
    lifecycleContract(contract);
    modelContract(contract);
    contract.checkSkips();
  });
}
