import type { FastifyRequest } from "fastify";
import {
  BulkBody,
  BulkPreviewBody,
  BulkPreviewView,
  DEFAULT_PER_SECOND,
  OperationView,
} from "../../api/operation.js";
import { KonveierError, type Fault } from "../../core/errors.js";
import { formatInstant } from "../../core/instant.js";
import { validationError } from "../../core/job-request.js";
import { parseJobQuery } from "../../core/job-query/parse.js";
import { printJobQuery } from "../../core/job-query/print.js";
import type { JobQuery } from "../../core/job-query/query.js";
import { isJobId } from "../../core/job-query/values.js";
import { previewBulk, startBulk } from "../../engine/bulk.js";
import { identityOf } from "../access/guard.js";
import type { App } from "../app.js";
import { decodePreview, encodePreview, PREVIEW_VALID_MS, previewDigest } from "../bulk/preview-token.js";
import type { Services } from "../services.js";
import { jobView } from "../views/job.js";
import { operationView } from "../views/operation.js";
import { scanView } from "../views/scan.js";

const tags = ["operations"];

/** Changing many jobs at once: first a look at what would happen, then the change. */
export function bulkRoutes(app: App, { context, signer }: Services): void {
  app.post(
    "/v1/jobs/bulk/preview",
    {
      schema: {
        operationId: "previewBulk",
        summary: "What a bulk action would change. Nothing is changed.",
        tags,
        body: BulkPreviewBody,
        response: { 200: BulkPreviewView },
      },
      config: { access: "operate", problems: ["bad_filter"], audited: false },
    },
    async (request) => {
      const { action } = request.body;
      const asked = askedFor(request.body);
      const { tokenId: by, queues: queueGlobs } = identityOf(request);
      const { query, count, samples, untilId } = await previewBulk(context, action, asked, queueGlobs);
      const at = context.store.now();
      const { count: matched, capped, scan } = count;
      return {
        action,
        q: printJobQuery(query),
        queues: queueGlobs === null ? null : [...queueGlobs],
        matched,
        capped,
        scan: scanView(scan),
        samples: samples.map(jobView),
        previewToken: encodePreview(signer, { action, query, queueGlobs, untilId, matched, by, at }),
        expiresAt: formatInstant(at + PREVIEW_VALID_MS),
      };
    },
  );

  app.post(
    "/v1/jobs/bulk",
    {
      schema: {
        operationId: "startBulk",
        summary: "Start what was previewed. It goes on in the background, also after a restart.",
        tags,
        body: BulkBody,
        response: { 200: OperationView, 202: OperationView },
      },
      config: {
        access: "operate",
        problems: ["preview_expired"],
        auditDetail: (request) => auditDetail(request),
      },
    },
    async (request, reply) => {
      const { previewToken, perSecond = DEFAULT_PER_SECOND, reason = null } = request.body;
      const { tokenId: createdBy } = identityOf(request);
      const preview = decodePreview(signer, previewToken, createdBy, context.store.now());
      requireDeleteRights(request, preview.action);
      const { operation, repeated } = await startBulk(context, {
        ...preview,
        preview: previewDigest(previewToken),
        perSecond,
        reason,
        createdBy,
      });
      return reply
        .code(repeated ? 200 : 202)
        .header("Location", `/v1/operations/${operation.id}`)
        .send(operationView(operation));
    },
  );

  function auditDetail(request: FastifyRequest): string | null {
    const { previewToken, reason } = request.body as BulkBody;
    try {
      const { tokenId } = identityOf(request);
      const { action, query, queueGlobs } = decodePreview(signer, previewToken, tokenId, context.store.now());
      const limit = queueGlobs === null ? [] : [`queues of the token: ${queueGlobs.join(",")}`];
      return [action, printJobQuery(query), ...limit, reason].filter(Boolean).join(" · ");
    } catch (error) {
      if (error instanceof KonveierError) return null;
      throw error;
    }
  }
}

/** @throws KonveierError `bad_filter`, `validation_failed` */
function askedFor({ q, ids }: BulkPreviewBody): JobQuery {
  if ((q === undefined) === (ids === undefined)) {
    throw validationError([
      { pointer: "/q", code: "conflict", detail: "either q or ids must be given, not both" },
    ]);
  }
  if (ids !== undefined) {
    const faults = ids.flatMap((id, index) => (isJobId(id) ? [] : [idFault(`/ids/${index}`)]));
    if (faults.length > 0) throw validationError(faults);
    return { terms: [{ kind: "text", field: "id", negated: false, values: ids }] };
  }
  const query = parseJobQuery(q ?? "");
  // A forgotten filter must not mean every job.
  if (query.terms.length === 0) {
    throw validationError([{ pointer: "/q", code: "required", detail: "must have at least one condition" }]);
  }
  return query;
}

function idFault(pointer: string): Fault {
  return { pointer, code: "invalid_id", detail: "must be the id of a job: a whole number from 1" };
}

/** @throws KonveierError `forbidden` */
function requireDeleteRights(request: FastifyRequest, action: string): void {
  if (action !== "delete" || identityOf(request).capabilities.has("administer")) return;
  throw new KonveierError("forbidden", "Deleting jobs in bulk needs a token with the scope admin.");
}
