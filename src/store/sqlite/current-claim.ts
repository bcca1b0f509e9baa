import type { LeaseLossReason } from "../../core/errors.js";
import type { ClaimKey } from "../claims.js";
import type { Connection } from "./connection.js";
import { rowId, type JobRow } from "../rows.js";

/** Finds the job of a claim, or tells why the claim is no longer the current one. */
export class CurrentClaim {
  readonly #get;

  constructor(db: Connection) {
    this.#get = db.prepare<[number], JobRow>("SELECT * FROM jobs WHERE id = ?");
  }

  row(id: string): JobRow | undefined {
    const key = rowId(id);
    return key === null ? undefined : this.#get.get(key);
  }

  find(key: ClaimKey): JobRow | LeaseLossReason {
    const row = this.row(key.id);
    if (row?.state === "running" && row.token === key.token) return row;
    return reasonFor(row, key.token);
  }

  /** Why a guarded write of this claim changed nothing. */
  lossReason(key: ClaimKey): LeaseLossReason {
    return reasonFor(this.row(key.id), key.token);
  }
}

function reasonFor(row: JobRow | undefined, token: number): LeaseLossReason {
  if (row === undefined) return "gone";
  return row.state === "cancelled" && row.token === token ? "cancelled" : "reclaimed";
}
