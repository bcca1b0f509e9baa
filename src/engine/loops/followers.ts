/** Those who follow something that is read only while somebody does. The first starts the reading, the last ends it. */
export class Followers<Follower> implements Iterable<Follower> {
  readonly #members = new Set<Follower>();
  /** Members, and those who are about to be. */
  #users = 0;
  #starting: Promise<void> | null = null;

  constructor(
    private readonly start: () => Promise<void>,
    /** Also after a start that failed. */
    private readonly stop: () => void,
  ) {}

  get size(): number {
    return this.#members.size;
  }

  /** Another one after everybody has left: what was begun for those before concerns nobody any more. */
  get generation(): unknown {
    return this.#starting;
  }

  /** As they are now: who leaves meanwhile is still called, who comes is not. */
  [Symbol.iterator](): Iterator<Follower> {
    return [...this.#members][Symbol.iterator]();
  }

  /** Resolves when the reading has started. @throws what the start throws */
  async join(follower: Follower): Promise<void> {
    this.#users += 1;
    const starting = (this.#starting ??= this.start());
    try {
      await starting;
    } catch (error) {
      this.#users -= 1;
      if (this.#starting === starting) this.#end();
      throw error;
    }
    this.#members.add(follower);
  }

  /** May be called twice, and for who never joined. */
  leave(follower: Follower): void {
    if (!this.#members.delete(follower)) return;
    this.#users -= 1;
    if (this.#users === 0) this.#end();
  }

  #end(): void {
    this.#starting = null;
    this.stop();
  }
}
