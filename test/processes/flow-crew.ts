import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { isFinished } from "../../src/core/states.js";
import type { Store } from "../../src/store/store.js";
import { startProgram, type ChildProgram } from "../support/child-program.js";
import { eventually } from "../support/server-process.js";
import type { FlowWorkerInput, FlowWorkerMessage } from "./programs/flow-worker.js";

type FlowWorker = ChildProgram<FlowWorkerMessage, object>;

const PROGRAM = new URL("./programs/flow-worker.ts", import.meta.url);
const LEASE_MS = 1_000;
const CONCURRENCY = 4;

/** Processes with workers: one that dies is replaced, and one that is frozen goes on when it has lost its job. */
export class FlowCrew {
  /** How many processes have died. */
  deaths = 0;
  #runs = 0;
  #stopping = false;
  readonly #workers = new Set<FlowWorker>();
  readonly #frozen = new Set<FlowWorker>();
  readonly #waiting = new Set<() => void>();
  readonly #failure: Promise<never>;
  #fail: (error: unknown) => void = () => undefined;

  constructor(
    private readonly store: Store,
    private readonly input: Pick<FlowWorkerInput, "url" | "schema" | "directory">,
    processes: number,
  ) {
    this.#failure = new Promise((_, reject) => (this.#fail = reject));
    // Whoever waits for runs hears of it.
    this.#failure.catch(() => undefined);
    for (let n = 0; n < processes; n += 1) this.#start();
  }

  /** Resolves when so many more handlers have begun, and rejects when a process has failed. */
  async runs(count: number): Promise<void> {
    const wanted = this.#runs + count;
    while (this.#runs < wanted) {
      await Promise.race([new Promise<void>((resolve) => this.#waiting.add(resolve)), this.#failure]);
    }
  }

  killOne(random: () => number): void {
    const workers = [...this.#workers];
    workers[Math.floor(random() * workers.length)]?.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const worker of this.#workers) worker.send({});
    const exits = await Promise.all([...this.#workers].map(({ exited }) => exited));
    for (const exit of exits) expect(exit).toEqual({ code: 0, signal: null });
  }

  #start(): void {
    const worker = startProgram<FlowWorkerMessage, object>(PROGRAM, {
      ...this.input,
      concurrency: CONCURRENCY,
      leaseMs: LEASE_MS,
    } satisfies FlowWorkerInput);
    this.#workers.add(worker);
    this.#follow(worker).catch(this.#fail);
    worker.exited
      .then(({ signal }) => {
        if (this.#stopping) return;
        this.#workers.delete(worker);
        this.#frozen.delete(worker);
        this.deaths += 1;
        if (signal !== "SIGKILL") throw new Error(`A worker ended by itself: ${worker.output}`);
        this.#start();
      })
      .catch(this.#fail);
  }

  async #follow(worker: FlowWorker): Promise<void> {
    for (let seen = 0; ; seen += 1) {
      const ended = worker.exited.then(() => "ended");
      if ((await Promise.race([worker.until(() => worker.messages.length > seen), ended])) === "ended")
        return;
      const message = worker.messages[seen]!;
      if (message.type === "run") this.#count();
      if (message.type === "frozen") this.#thaw(worker, message).catch(this.#fail);
    }
  }

  #count(): void {
    this.#runs += 1;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Lets it go on when somebody else runs the job, who then waits for what the frozen one has to say. */
  async #thaw(worker: FlowWorker, { id, token }: { id: string; token: number }): Promise<void> {
    this.#frozen.add(worker);
    await eventually(
      () => this.store.jobs.get(id),
      (job) => {
        if (job === null || isFinished(job.state)) return true;
        if (job.token === token && job.state === "running") return false;
        return job.state === "running" || this.#frozen.size === this.#workers.size;
      },
    );
    this.#frozen.delete(worker);
    worker.kill("SIGCONT");
    const spoke = worker.until(() =>
      worker.messages.some((message) => message.type === "spoke" && message.id === id),
    );
    await Promise.race([spoke.catch(() => undefined), worker.exited]);
    writeFileSync(join(this.input.directory, `go-on-${id}`), "");
  }
}
