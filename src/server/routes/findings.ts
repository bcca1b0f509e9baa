import type { FastifyRequest } from "fastify";
import { FindingsView } from "../../api/finding.js";
import { formatInstant } from "../../core/instant.js";
import { firstOfEachCode, type Finding } from "../../engine/findings/findings.js";
import { identityOf } from "../access/guard.js";
import { covers } from "../access/queue-limits.js";
import type { App } from "../app.js";
import type { Services } from "../services.js";
import { findingView } from "../views/finding.js";

const MAX_OF_A_CODE = 20;

/** What an operator should know first. */
export function findingRoute(app: App, { findings }: Services): void {
  app.get(
    "/v1/health/findings",
    {
      schema: {
        operationId: "listFindings",
        summary: "What is wrong right now, the worst first.",
        tags: ["stats"],
        response: { 200: FindingsView },
      },
      config: { access: "read" },
    },
    async (request) => {
      const { at, findings: all } = await findings.evaluated();
      const visible = all.filter((finding) => isVisible(request, finding));
      const { findings: first, more } = firstOfEachCode(visible, MAX_OF_A_CODE);
      return { at: formatInstant(at), items: first.map(findingView), more };
    },
  );
}

function isVisible(request: FastifyRequest, { audience }: Finding): boolean {
  const { queues, tokenId } = identityOf(request);
  if (queues === null) return true;
  if (audience === "all queues") return false;
  if ("startedBy" in audience) return audience.startedBy === tokenId;
  return audience.queues.some((queue) => covers(request, queue));
}
