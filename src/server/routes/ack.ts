import { AckBody, AckView, type AckedView, type AckItem } from "../../api/lease.js";
import { formatInstant } from "../../core/instant.js";
import type { App } from "../app.js";
import { acknowledge, lossDetail, type Acknowledged } from "../claims/acknowledge.js";
import type { Services } from "../services.js";
import { COMPLETE_BODY_LIMIT } from "./settlements.js";

/** How a worker ends many claims at once. */
export function ackRoute(app: App, { context, signer, metrics }: Services): void {
  app.post(
    "/v1/ack",
    {
      schema: {
        operationId: "ack",
        summary: "End many claims at once, each for itself.",
        tags: ["workers"],
        body: AckBody,
        response: { 200: AckView },
      },
      bodyLimit: COMPLETE_BODY_LIMIT,
      config: { access: "work", hasResults: true },
    },
    async ({ body, resultFaults }): Promise<AckView> => {
      const answers = await acknowledge(context, signer, body.results, resultFaults);
      const results = body.results.flatMap((item, index) => {
        const answer = answers[index];
        return answer === undefined ? [] : [ackedView(item, answer)];
      });
      metrics.process.rejected("ack", results.filter(({ ok }) => !ok).length);
      return { results };
    },
  );
}

function ackedView(item: AckItem, answer: Acknowledged): AckedView {
  const { settled, settlement } = answer;
  const { id } = item;
  if (!settled.ok) {
    return { id, ok: false, code: "lease_lost", reason: settled.reason, detail: lossDetail(item, answer) };
  }
  const resultProblem = settlement?.verb === "complete" ? settlement.resultProblem : null;
  return { id, ok: true, state: settled.state, runAt: formatInstant(settled.runAt), resultProblem };
}
