import type { LeaseLossReason } from "../../core/errors.js";
import type { LogLevel } from "../../core/job.js";
import type { Notes } from "../../core/run-context.js";
import type { KonveierClient } from "../client.js";
import { ApiError } from "../errors.js";
import type { Lease } from "../leases.js";

const MAX_LINES = 500;

interface Line {
  readonly level: LogLevel;
  readonly message: string;
}

/** Progress and log lines of one run, in their order: one request at a time, with what has come meanwhile. */
export class RemoteNotes implements Notes {
  #lines: Line[] = [];
  #seq = 0;
  #last: Promise<LeaseLossReason | null> = Promise.resolve(null);

  constructor(
    private readonly client: KonveierClient,
    private readonly lease: Lease,
  ) {}

  /** Resolves when what was noted so far has been told, or cannot be. */
  async told(): Promise<void> {
    await this.#last.catch(() => undefined);
  }

  progress(_run: unknown, percent: number, message: string | null): Promise<LeaseLossReason | null> {
    return this.next(() =>
      this.client.leases.progress(this.lease, { percent, ...(message !== null && { message }) }),
    );
  }

  log(_run: unknown, lines: readonly Line[]): Promise<LeaseLossReason | null> {
    this.#lines.push(...lines);
    return this.next(async () => {
      // An earlier request may have taken these along.
      while (this.#lines.length > 0) {
        this.#seq += 1;
        await this.client.leases.logs(this.lease, {
          seq: this.#seq,
          lines: this.#lines.splice(0, MAX_LINES),
        });
      }
    });
  }

  /** Sends after all that was told before, and before the attempt's end. */
  next(send: () => Promise<void>): Promise<LeaseLossReason | null> {
    const sent = this.told().then(send);
    this.#last = sent.then(
      () => null,
      (error: unknown) => {
        if (error instanceof ApiError && error.code === "lease_lost") return "reclaimed";
        throw error;
      },
    );
    // `told` may be the only one who looks at it.
    this.#last.catch(() => undefined);
    return this.#last;
  }
}
