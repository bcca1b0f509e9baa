import type { LeaseLossReason } from "../../core/errors.js";
import type { FoundStep, StepKeeper } from "../../core/steps.js";
import type { KonveierClient } from "../client.js";
import { ApiError } from "../errors.js";
import type { Lease } from "../leases.js";
import type { RemoteNotes } from "./notes.js";

/** The steps of one run. */
export class RemoteSteps implements StepKeeper {
  constructor(
    private readonly client: KonveierClient,
    private readonly lease: Lease,
    private readonly notes: RemoteNotes,
  ) {}

  async find(_run: unknown, name: string): Promise<FoundStep | LeaseLossReason> {
    try {
      const { found, result } = await this.client.leases.findStep(this.lease, name);
      if (!found) return { found };
      return { found, result: result === undefined ? null : JSON.stringify(result) };
    } catch (error) {
      if (error instanceof ApiError && error.code === "lease_lost") return "reclaimed";
      throw error;
    }
  }

  store(_run: unknown, name: string, result: string | null): Promise<LeaseLossReason | null> {
    const step = { name, ...(result !== null && { result: JSON.parse(result) as unknown }) };
    return this.notes.next(() => this.client.leases.storeStep(this.lease, step));
  }
}
