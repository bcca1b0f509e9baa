import type { EngineContext } from "../engine/context.js";
import { JobWaits } from "../engine/events/job-waits.js";
import { ClaimDesk } from "./claims/claim-desk.js";
import { RemoteWorkers } from "./claims/remote-workers.js";
import { EventStreams } from "./events/streams.js";
import { Readiness } from "./readiness.js";
import { Signer } from "./signer.js";

/** What the routes work with. */
export interface Services {
  readonly context: EngineContext;
  readonly signer: Signer;
  readonly desk: ClaimDesk;
  readonly remoteWorkers: RemoteWorkers;
  readonly readiness: Readiness;
  readonly streams: EventStreams;
  readonly waits: JobWaits;
}

/** @throws KonveierError `store_…` */
export async function createServices(context: EngineContext): Promise<Services> {
  const signer = new Signer(await context.store.signingSecret());
  return {
    context,
    signer,
    desk: new ClaimDesk(context),
    remoteWorkers: new RemoteWorkers(context),
    readiness: new Readiness(context),
    streams: new EventStreams(context),
    waits: new JobWaits(context),
  };
}
