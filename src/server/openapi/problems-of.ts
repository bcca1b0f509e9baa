import type { FastifySchema, RouteOptions } from "fastify";
import { ERRORS, type ErrorCode } from "../../core/errors.js";

/** Of any route: the server, the database and the network. */
const ALWAYS: readonly ErrorCode[] = [
  "bad_request",
  "request_timeout",
  "internal",
  "store_busy",
  "store_full",
  "store_read_only",
  "store_missing",
  "store_corrupt",
  "store_too_new",
  "store_unsupported",
  "store_io",
  "store_closed",
];
const WITH_TOKEN: readonly ErrorCode[] = [
  "unauthorized",
  "too_many_failures",
  "forbidden",
  "queue_not_allowed",
  "cross_site",
];
const WITH_BODY: readonly ErrorCode[] = [
  "number_precision",
  "malformed_json",
  "body_too_large",
  "payload_too_deep",
  "unsupported_media_type",
];

/** The problems that a route can answer, by status. */
export function problemsOf(
  schema: FastifySchema,
  { config, method }: RouteOptions,
): Map<number, ErrorCode[]> {
  const takesBody = [method].flat().some((each) => each !== "GET" && each !== "HEAD");
  const codes = new Set<ErrorCode>([
    ...(takesBody ? WITH_BODY : []),
    ...(config?.access === "public" ? [] : WITH_TOKEN),
    ...(schema.params !== undefined || takesBody || schema.querystring !== undefined
      ? (["validation_failed"] as const)
      : []),
    ...(config?.problems ?? []),
    ...ALWAYS,
  ]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort()) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}
