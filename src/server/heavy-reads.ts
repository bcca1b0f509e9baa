import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply } from "fastify";

interface Reads {
  /** The one that has begun last. */
  latest: Promise<unknown>;
  /** The one that all share who ask before it begins. */
  next: Promise<Buffer> | null;
}

/**
 * Makes large answers that many ask for: once for all who ask before it begins, one after another, and with a turn of the
 * event loop for everybody else in between. Who asks later gets a later one, so nobody misses what was written before.
 */
export class HeavyReads {
  readonly #reads = new Map<string, Reads>();

  /**
   * Answers with what `make` reads, as JSON.
   *
   * @param key of what is the same for all who ask for it
   */
  async answer<View>(reply: FastifyReply, key: readonly unknown[], make: () => Promise<View>): Promise<View> {
    const json = await this.once(JSON.stringify(key), async () => JSON.stringify(await make()));
    return reply.type("application/json; charset=utf-8").send(json) as unknown as View;
  }

  /** The text is there once for all connections, whether they read it or not. */
  async once(key: string, make: () => Promise<string>): Promise<Buffer> {
    const reads = this.#reads.get(key) ?? { latest: Promise.resolve(), next: null };
    this.#reads.set(key, reads);
    reads.next ??= this.#make(key, reads, make);
    return reads.next;
  }

  async #make(key: string, reads: Reads, make: () => Promise<string>): Promise<Buffer> {
    await reads.latest;
    await nextTurn();
    reads.next = null;
    const made = make();
    // The next one begins however this one ends.
    reads.latest = made.catch(() => undefined);
    try {
      return Buffer.from(await made);
    } finally {
      if (this.#reads.get(key)?.next === null) this.#reads.delete(key);
    }
  }
}
