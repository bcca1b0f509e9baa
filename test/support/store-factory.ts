import type { Clock } from "../../src/core/clock.js";
import type { Store } from "../../src/store/store.js";

/** How the contract suite gets the stores that it checks. */
export interface StoreFactory {
  /** Opens an empty database. */
  open(options: { readonly clock: Clock }): Promise<OpenedStore>;
}

export interface OpenedStore {
  readonly store: Store;
  /** Opens the same database once more, as another process does. Closed by `close`. */
  another(): Promise<Store>;
  /** Closes what is open and removes the database. */
  close(): Promise<void>;
}
