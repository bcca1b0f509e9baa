import type { EngineContext } from "../engine/context.js";
import type { Access } from "./access/access.js";
import { ClaimDesk } from "./claims/claim-desk.js";
import { RemoteWorkers } from "./claims/remote-workers.js";
import { Readiness } from "./readiness.js";
import { Signer } from "./signer.js";

/** What the routes work with. */
export interface Services {
  readonly context: EngineContext;
  readonly access: Access;
  readonly signer: Signer;
  readonly desk: ClaimDesk;
  readonly remoteWorkers: RemoteWorkers;
  readonly readiness: Readiness;
}

/** @throws KonveierError `store_…` */
export async function createServices(context: EngineContext, access: Access): Promise<Services> {
  const signer = new Signer(await context.store.signingSecret());
  return {
    context,
    access,
    signer,
    desk: new ClaimDesk(context),
    remoteWorkers: new RemoteWorkers(context),
    readiness: new Readiness(context),
  };
}
