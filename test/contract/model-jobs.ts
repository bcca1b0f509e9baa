import type { LeaseLossReason } from "../../src/core/errors.js";
import type { JobState } from "../../src/core/states.js";

/** What the model knows of a job. */
export interface ModelJob {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
  readonly budget: number;
  state: JobState;
  attempt: number;
  maxAttempts: number;
  runAt: number;
  token: number;
  leaseUntil: number;
  /** Outcomes of the attempts that are kept. */
  readonly history: string[];
}

/** A claim that was made at some time, current or not. */
export interface ModelClaim {
  readonly id: string;
  readonly token: number;
  /** How its holder ended it. */
  said: "complete" | "fail" | "release" | "snooze" | null;
}

export type Verb = "complete" | "fail" | "bury" | "release" | "snooze" | "extend" | "progress";

/** The rules of a queue in the plainest words, to compare a store with. One queue, no other processes. */
export class ModelQueue {
  readonly jobs = new Map<string, ModelJob>();
  readonly claims: ModelClaim[] = [];
  paused = false;

  constructor(
    private readonly leaseMs: number,
    private readonly backoffMs: number,
  ) {}

  enqueue(job: Pick<ModelJob, "id" | "name" | "priority" | "budget" | "runAt">, now: number): void {
    const state = job.runAt <= now ? "pending" : "scheduled";
    this.jobs.set(job.id, {
      ...job,
      state,
      attempt: 0,
      maxAttempts: job.budget,
      token: 0,
      leaseUntil: 0,
      history: [],
    });
  }

  /** Which jobs a claim must get, in order. */
  next(max: number, names: readonly string[] | null): ModelJob[] {
    if (this.paused) return [];
    return [...this.jobs.values()]
      .filter(({ state, name }) => state === "pending" && (names === null || names.includes(name)))
      .toSorted((a, b) => b.priority - a.priority || a.runAt - b.runAt || Number(a.id) - Number(b.id))
      .slice(0, max);
  }

  claimed(job: ModelJob, token: number, now: number): void {
    job.state = "running";
    job.attempt += 1;
    job.token = token;
    job.leaseUntil = now + this.leaseMs;
    this.claims.push({ id: job.id, token, said: null });
  }

  /** What a write of a claim must answer: `ok` or why not. Changes the job when it is. */
  write(claim: ModelClaim, verb: Verb, delayMs: number, now: number): "ok" | LeaseLossReason {
    const job = this.jobs.get(claim.id);
    if (job === undefined) return "gone";
    if (job.state !== "running" || job.token !== claim.token) {
      if (this.#isRepeat(job, claim, verb)) return "ok";
      return job.state === "cancelled" && job.token === claim.token ? "cancelled" : "reclaimed";
    }
    switch (verb) {
      case "extend":
        job.leaseUntil = now + this.leaseMs;
        break;
      case "progress":
        break;
      case "complete":
        claim.said = "complete";
        job.state = "completed";
        break;
      case "fail":
      case "bury":
        claim.said = "fail";
        job.history.push("failed");
        if (verb === "bury" || this.isLastAttempt(claim)) job.state = "dead";
        else this.#wait(job, delayMs, now);
        break;
      case "release":
      case "snooze":
        claim.said = verb;
        job.attempt -= 1;
        if (verb === "snooze") this.#wait(job, delayMs, now);
        else job.state = "pending";
        break;
    }
    return "ok";
  }

  /** Whether a failure of this claim must end in dead. */
  isLastAttempt({ id }: ModelClaim): boolean {
    const job = this.jobs.get(id);
    return job !== undefined && job.attempt >= job.maxAttempts;
  }

  reap(now: number): void {
    for (const job of this.jobs.values()) {
      if (job.state !== "running" || job.leaseUntil > now) continue;
      job.history.push("lost");
      if (job.attempt >= job.maxAttempts) job.state = "dead";
      else this.#wait(job, this.backoffMs, now);
    }
  }

  promote(now: number): void {
    for (const job of this.jobs.values()) {
      if (job.state === "scheduled" && job.runAt <= now) job.state = "pending";
    }
  }

  cancel(job: ModelJob): string {
    if (job.state === "cancelled") return "unchanged";
    if (job.state === "completed" || job.state === "dead") return "refused";
    if (job.state === "running") job.history.push("cancelled");
    job.state = "cancelled";
    return "changed";
  }

  revive(job: ModelJob, now: number): string {
    if (job.state === "pending") return "unchanged";
    if (job.state !== "dead" && job.state !== "cancelled") return "refused";
    job.state = "pending";
    job.runAt = now;
    job.maxAttempts = job.attempt + job.budget;
    return "changed";
  }

  runNow(job: ModelJob, now: number): string {
    if (job.state === "pending") return "unchanged";
    if (job.state !== "scheduled") return "refused";
    job.state = "pending";
    job.runAt = now;
    return "changed";
  }

  delete(job: ModelJob, force: boolean): string {
    if (job.state === "running" && !force) return "refused";
    this.jobs.delete(job.id);
    return "changed";
  }

  #wait(job: ModelJob, delayMs: number, now: number): void {
    job.state = delayMs > 0 ? "scheduled" : "pending";
    job.runAt = now + delayMs;
  }

  /** A claim that says what it said before is answered as then. */
  #isRepeat(job: ModelJob, claim: ModelClaim, verb: Verb): boolean {
    const waits = job.state === "pending" || job.state === "scheduled";
    if (verb === "complete") return job.state === "completed" && job.token === claim.token;
    if (verb === "fail" || verb === "bury") return claim.said === "fail";
    if (verb === "release" || verb === "snooze") {
      return claim.said === verb && job.token === claim.token && waits;
    }
    return false;
  }
}
