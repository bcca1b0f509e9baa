/** Work of one turn of the event loop. The last piece that begins in it may go beyond. */
const WORK_PER_TURN = 250;

interface Piece {
  readonly work: number;
  readonly begin: () => void;
}

/**
 * Lets pieces of work begin in the order in which they came, only so much in one turn of the event loop: then
 * requests have their turn. What comes alone begins at once.
 */
export class Turns {
  #left = WORK_PER_TURN;
  #scheduled = false;
  #waiting: Piece[] = [];

  /** Resolves when a piece of so much work may begin; `null`: at once. */
  begin(work: number): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#left > 0) {
      this.#spend(work);
      return null;
    }
    return new Promise((resolve) => {
      this.#waiting.push({ work, begin: resolve });
    });
  }

  #spend(work: number): void {
    this.#left -= work;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#nextTurn();
    });
  }

  #nextTurn(): void {
    this.#left = WORK_PER_TURN;
    let begun = 0;
    for (const { work, begin } of this.#waiting) {
      if (this.#left <= 0) break;
      this.#spend(work);
      begin();
      begun += 1;
    }
    this.#waiting = this.#waiting.slice(begun);
  }
}
