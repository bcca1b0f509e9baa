/** A promise that the test settles. */
export class Gate<Value = void> {
  readonly promise: Promise<Value>;
  open!: (value: Value) => void;
  fail!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise<Value>((resolve, reject) => {
      this.open = resolve;
      this.fail = reject;
    });
  }
}

/** Handlers that run until the test lets them go, one gate for each run. */
export class Gates {
  readonly #gates: Gate<unknown>[] = [];
  running = 0;
  most = 0;

  get started(): number {
    return this.#gates.length;
  }

  /** To be awaited by a handler. */
  async wait(): Promise<unknown> {
    const gate = new Gate<unknown>();
    this.#gates.push(gate);
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      return await gate.promise;
    } finally {
      this.running -= 1;
    }
  }

  /** The run that began as number `index`, from 0. */
  at(index: number): Gate<unknown> {
    const gate = this.#gates[index];
    if (gate === undefined) throw new Error(`Run ${index} has not begun`);
    return gate;
  }

  openAll(): void {
    for (const gate of this.#gates) gate.open(undefined);
  }
}
