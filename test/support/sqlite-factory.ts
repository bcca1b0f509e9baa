import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import type { StoreFactory } from "./store-factory.js";

/** Stores in files: in memory no two of them could share a database. */
export const sqliteFactory: StoreFactory = {
  async open({ clock }) {
    const directory = await mkdtemp(join(tmpdir(), "konveier-contract-"));
    const open = () => openSqliteStore(join(directory, "konveier.db"), { clock });
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
