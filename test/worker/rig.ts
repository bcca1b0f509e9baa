import type { Job, JobDetail } from "../../src/core/job.js";
import { Konveier } from "../../src/konveier.js";
import type { ClaimRequest } from "../../src/store/claims.js";
import type { SqliteStore } from "../../src/store/sqlite/open.js";
import { EventLog } from "../support/event-log.js";
import { FakeClock } from "../support/fake-clock.js";
import { SqliteFile } from "../support/sqlite-file.js";

export const LEASE_MS = 3_000;
export const HEARTBEAT_MS = LEASE_MS / 3;
export const POLL_MS = 1_000;

/** What every worker of these tests has unless it says otherwise. */
export const SHORT_LEASE = { leaseMs: LEASE_MS, pollMs: POLL_MS } as const;

/** A database file, one clock for all, and this process's Konveier on it. */
export class Rig {
  readonly clock = new FakeClock();
  readonly file = new SqliteFile();
  readonly store: SqliteStore;
  readonly konveier: Konveier;
  readonly log: EventLog;

  constructor() {
    this.store = this.file.open({ clock: this.clock, synchronous: "normal" });
    this.konveier = Konveier.withStore(this.store, { clock: this.clock, random: () => 0 });
    this.log = new EventLog(this.konveier);
  }

  /** Lets everything happen that needs no time. */
  now(): Promise<void> {
    return this.clock.advance(0);
  }

  async job(id: string): Promise<JobDetail> {
    const job = await this.konveier.jobs.get(id);
    if (job === null) throw new Error(`There is no job ${id}`);
    return job;
  }

  async counts(queue = "default") {
    const found = await this.store.queues.get(queue);
    if (found === null) throw new Error(`There is no queue ${queue}`);
    return found.counts;
  }

  /** Claims one job as a worker elsewhere does, through a store of its own on the same file. */
  async claimElsewhere(workerId = "elsewhere"): Promise<Pick<Job, "id"> & { readonly token: number }> {
    const store = this.file.open({ clock: this.clock, synchronous: "normal" });
    const claiming = store.claims.claim({
      workerId,
      queues: ["default"],
      names: null,
      max: 1,
      leaseMs: 600_000,
    });
    const [job] = await claiming;
    if (job === undefined) throw new Error("There was nothing to claim");
    return job;
  }

  /** Every claim that is sent to the store from now on. */
  claims(): ClaimRequest[] {
    const requests: ClaimRequest[] = [];
    const { claims } = this.store;
    const claim = claims.claim.bind(claims);
    claims.claim = (request) => {
      requests.push(request);
      return claim(request);
    };
    return requests;
  }
}
