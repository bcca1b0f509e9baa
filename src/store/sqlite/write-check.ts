import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { KonveierError } from "../../core/errors.js";
import type { SqliteContext } from "./context.js";

/**
 * Below this a disk counts as full. A small write says little: the log has room of its own that is used again, so
 * single rows can be written long after the database had to refuse a larger job.
 */
const LEAST_FREE_BYTES = 1024 * 1024;

/** Finds out whether the database can be written by writing: a full or read-only disk reads as well as ever. */
export class WriteCheck {
  readonly #count;

  constructor(private readonly context: SqliteContext) {
    // The number changes each time: SQLite does not write a page whose content stays the same.
    this.#count = context.db.prepare(
      `INSERT INTO sequences (name, value) VALUES ('write_check', 1)
       ON CONFLICT (name) DO UPDATE SET value = value + 1`,
    );
  }

  async run(): Promise<void> {
    await this.context.write(() => {
      this.#refuseFullDisk();
      this.#count.run();
    });
  }

  #refuseFullDisk(): void {
    const { db } = this.context;
    if (db.memory) return;
    const { bavail, bsize } = statfsSync(dirname(db.name));
    if (bavail * bsize >= LEAST_FREE_BYTES) return;
    throw new KonveierError(
      "store_full",
      `${db.name}: less than 1 MiB of disk is free. Free disk space: a running server then goes on by itself.`,
    );
  }
}
