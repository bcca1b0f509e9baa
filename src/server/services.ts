import { JobWaits } from "../engine/events/job-waits.js";
import type { EngineContext } from "../engine/context.js";
import { Findings } from "../engine/findings/findings.js";
import { RollUps } from "../engine/statistics/roll-ups.js";
import type { Access } from "./access/access.js";
import { ClaimDesk } from "./claims/claim-desk.js";
import { RemoteWorkers } from "./claims/remote-workers.js";
import { HeavyReads } from "./heavy-reads.js";
import { Metrics } from "./metrics/metrics.js";
import { Readiness } from "./readiness.js";
import type { ServerFacts } from "./server-facts.js";
import { Signer } from "./signer.js";
import { Streams } from "./streams/streams.js";

/** What the routes work with. */
export interface Services {
  readonly context: EngineContext;
  readonly access: Access;
  readonly signer: Signer;
  readonly desk: ClaimDesk;
  readonly remoteWorkers: RemoteWorkers;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  readonly rollUps: RollUps;
  readonly findings: Findings;
  readonly heavyReads: HeavyReads;
  readonly streams: Streams;
  readonly waits: JobWaits;
  readonly facts: ServerFacts & { readonly trustedProxies: number };
}

/** @throws KonveierError `store_…` */
export async function createServices(
  context: EngineContext,
  access: Access,
  facts: Services["facts"],
): Promise<Services> {
  const signer = new Signer(await context.store.signingSecret());
  const desk = new ClaimDesk(context);
  const rollUps = new RollUps(context.store);
  return {
    context,
    access,
    signer,
    desk,
    remoteWorkers: new RemoteWorkers(context),
    readiness: new Readiness(context),
    metrics: new Metrics(context, () => desk.waiting),
    rollUps,
    findings: new Findings(context.store, context.clock, rollUps),
    heavyReads: new HeavyReads(),
    streams: new Streams(context),
    waits: new JobWaits(context),
    facts,
  };
}
