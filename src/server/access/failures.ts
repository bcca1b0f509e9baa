import type { FastifyReply } from "fastify";
import type { Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";

const WINDOW_MS = 60_000;
/** So that a flood of addresses cannot fill the memory. */
const MAX_ADDRESSES = 10_000;

interface Count {
  since: number;
  failures: number;
}

/** Counts failures by address or name, in windows of a minute. */
export class Failures {
  readonly #counts = new Map<string, Count>();

  /** @param limit failures in a window after which an address is blocked until its end */
  constructor(
    private readonly clock: Clock,
    private readonly limit: number,
  ) {}

  add(ip: string): void {
    const count = this.#present(ip);
    if (count !== null) {
      count.failures += 1;
      return;
    }
    // Anew, so that the map's first key is always the one whose window began first.
    this.#counts.delete(ip);
    this.#counts.set(ip, { since: this.clock.monotonic(), failures: 1 });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_ADDRESSES && oldest !== undefined) this.#counts.delete(oldest);
  }

  isBlocked(ip: string): boolean {
    return (this.#present(ip)?.failures ?? 0) >= this.limit;
  }

  /** @throws KonveierError `too_many_failures` */
  refuseBlocked(ip: string, reply: FastifyReply): void {
    if (!this.isBlocked(ip)) return;
    const since = this.#present(ip)?.since ?? 0;
    const seconds = Math.max(1, Math.ceil((since + WINDOW_MS - this.clock.monotonic()) / 1_000));
    reply.header("Retry-After", String(seconds));
    throw new KonveierError("too_many_failures", `Wrong tokens came too often. Try again in ${seconds} s.`);
  }

  #present(ip: string): Count | null {
    const count = this.#counts.get(ip);
    return count !== undefined && this.clock.monotonic() - count.since < WINDOW_MS ? count : null;
  }
}
