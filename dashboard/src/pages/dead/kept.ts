import { useSyncExternalStore } from "react";
import { onOtherToken } from "../../live/other-token.js";

/** What the reader has begun on this page, by a key. It stays while another page is shown, not with another token. */
export class Kept<Value> {
  #all: ReadonlyMap<string, Value> = new Map();
  readonly #listeners = new Set<() => void>();

  constructor() {
    onOtherToken(() => {
      this.#become(new Map());
    });
  }

  /** The same map until something changes. */
  readonly all = (): ReadonlyMap<string, Value> => this.#all;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(key: string, value: Value): void {
    this.#become(new Map(this.#all).set(key, value));
  }

  delete(key: string): void {
    this.#become(new Map([...this.#all].filter(([each]) => each !== key)));
  }

  #become(all: ReadonlyMap<string, Value>): void {
    this.#all = all;
    for (const listener of this.#listeners) listener();
  }
}

export function useKept<Value>(kept: Kept<Value>): ReadonlyMap<string, Value> {
  return useSyncExternalStore(kept.subscribe, kept.all);
}
