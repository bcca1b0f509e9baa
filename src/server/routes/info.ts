import { InfoView } from "../../api/info.js";
import {
  COUNT_CAP,
  MAX_ATTEMPTS_KEPT,
  MAX_BATCH,
  MAX_CLAIM,
  MAX_KEY_LENGTH,
  MAX_LOG_LINES,
  MAX_LOG_MESSAGE_LENGTH,
  MAX_STEPS,
  MAX_MAX_ATTEMPTS,
  MAX_NAME_LENGTH,
  MAX_PAYLOAD_BYTES,
  MAX_PAYLOAD_DEPTH,
  MAX_PRIORITY,
  MAX_PROGRESS_MESSAGE_LENGTH,
  MAX_REASON_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  SCAN_BUDGET_MS,
} from "../../core/defaults.js";
import { formatInstant } from "../../core/instant.js";
import { identityOf } from "../access/guard.js";
import { BODY_LIMIT, type App } from "../app.js";
import type { Services } from "../services.js";
import { version } from "../version.js";

const LIMITS: InfoView["limits"] = {
  bodyBytes: BODY_LIMIT,
  payloadBytes: MAX_PAYLOAD_BYTES,
  payloadDepth: MAX_PAYLOAD_DEPTH,
  batchJobs: MAX_BATCH,
  claimJobs: MAX_CLAIM,
  nameLength: MAX_NAME_LENGTH,
  keyLength: MAX_KEY_LENGTH,
  tags: MAX_TAGS,
  tagLength: MAX_TAG_LENGTH,
  priority: MAX_PRIORITY,
  attempts: MAX_MAX_ATTEMPTS,
  attemptsKept: MAX_ATTEMPTS_KEPT,
  logLines: MAX_LOG_LINES,
  logMessageLength: MAX_LOG_MESSAGE_LENGTH,
  steps: MAX_STEPS,
  progressMessageLength: MAX_PROGRESS_MESSAGE_LENGTH,
  reasonLength: MAX_REASON_LENGTH,
  countCap: COUNT_CAP,
  scanMs: SCAN_BUDGET_MS,
};

/** What a client wants to know of the server that it talks to. */
export function infoRoute(app: App, { context: { store }, facts }: Services): void {
  const running = { version: version(), startedAt: formatInstant(store.now()) };
  app.get(
    "/v1/info",
    {
      schema: {
        operationId: "getInfo",
        summary: "Version, limits, retention and settings of this server.",
        tags: ["server"],
        response: { 200: InfoView },
      },
      config: { access: "any" },
    },
    async (request): Promise<InfoView> => {
      const { environment, retention, settings, trustedProxies } = facts;
      const isAdmin = identityOf(request).capabilities.has("administer");
      return {
        ...running,
        store: { ...(await store.about()) },
        now: formatInstant(store.now()),
        environment,
        limits: LIMITS,
        retention,
        trustedProxies,
        settings: isAdmin ? settings.map((setting) => ({ ...setting })) : null,
      };
    },
  );
}
