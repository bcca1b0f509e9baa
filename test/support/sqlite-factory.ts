import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type SqliteOptions } from "../../src/store/sqlite/open.js";
import type { StoreFactory } from "./store-factory.js";

/** Stores in files: in memory no two of them could share a database. */
export function sqliteStores(options: SqliteOptions): StoreFactory {
  return {
    async open({ clock }) {
      const directory = await mkdtemp(join(tmpdir(), "konveier-contract-"));
      const open = () => openSqliteStore(join(directory, "konveier.db"), { ...options, clock });
      const store = open();
      const opened = [store];
      return {
        store,
        another() {
          const other = open();
          opened.push(other);
          return Promise.resolve(other);
        },
        async close() {
          await Promise.all(opened.map((each) => each.close()));
          await rm(directory, { recursive: true });
        },
      };
    },
  };
}

export const sqliteFactory = sqliteStores({});
