import { tmpdir } from "node:os";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Check, Errors } from "typebox/value";
import { Problem } from "../../src/api/problem.js";
import { problemsOf } from "../../src/server/openapi/problems-of.js";

/** Of unknown addresses and methods, and of files: there is no route of the API that could declare them. */
const WITHOUT_ROUTE = new Set([
  "not_found",
  "method_not_allowed",
  "unauthorized",
  "too_many_failures",
  "bad_request",
]);
/** Whether a route takes a body or not, a body may be there, and be refused. */
const OF_ANY_BODY = new Set(["malformed_json", "body_too_large", "unsupported_media_type"]);

/** Texts of a problem that only this machine, the code or the database can have put there. */
const LEAKS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a line of a stack", /\n\s+at |\bat \S+ \(|\.[cm]?[jt]s:\d+/],
  ["a path", new RegExp([process.cwd(), tmpdir()].map((path) => `${escaped(path)}/`).join("|"))],
  ["a module", /node_modules|node:internal/],
  [
    "SQL",
    /SQLITE_|SqliteError|\b(?:SELECT|DELETE) .*\bFROM\b|\bINSERT INTO\b|\bUPDATE \w+ SET\b|no such (?:table|column)/,
  ],
  ["a token", /\bkv_[a-z0-9]{8}_[\w-]{43}\b|\bBearer (?!<token>)\S/],
  [
    "an error of the language",
    /\b(?:TypeError|RangeError|ReferenceError|Cannot read properties|is not a function)\b/,
  ],
];

/**
 * Holds every answer of a server against what its route declares, and so against the OpenAPI document,
 * which is made of the same schemas: no other status, no other shape, no field that is not described.
 *
 * @returns what was wrong so far
 */
export function holdToContract(app: FastifyInstance): readonly string[] {
  const faults: string[] = [];
  app.addHook("onSend", async (request, reply, payload) => {
    const fault = faultOf(request, reply, payload);
    if (fault !== null) faults.push(`${request.method} ${request.url} ${reply.statusCode}: ${fault}`);
    return payload;
  });
  return faults;
}

function faultOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | null {
  const type = String(reply.getHeader("content-type") ?? "");
  if (type.startsWith("application/problem+json"))
    return faultOfProblem(request, JSON.parse(String(payload)));
  // Pages and files of the dashboard are no part of the API, and not in its description.
  if (request.routeOptions.schema?.hide === true) return null;
  if (request.is404 && type.startsWith("text/html")) return null;
  const responses = request.routeOptions.schema?.response as Record<string, TSchema> | undefined;
  const schema = responses?.[reply.statusCode];
  if (schema === undefined) return "the route declares no such status";
  if (request.method === "HEAD") return null;
  if (reply.statusCode === 204) return payload === undefined ? null : "a 204 has a body";
  // Where the same address has pages too, their shape is all that is declared.
  if (type.startsWith("text/event-stream")) return payload === "" ? null : "a stream is answered at once";
  if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return null;
  const text = payload.toString();
  const body: unknown = type.startsWith("application/json") ? JSON.parse(text) : text;
  const closed = closedForm(schema);
  return Check(closed, body) ? null : JSON.stringify([...Errors(closed, body)].slice(0, 3));
}

function faultOfProblem(request: FastifyRequest, body: unknown): string | null {
  if (!Check(closedForm(Problem), body)) return `not a problem document: ${JSON.stringify(body)}`;
  const leak = leakOf(body);
  if (leak !== null) return `it has ${leak}: ${JSON.stringify(body)}`;
  const { schema, config } = request.routeOptions;
  if (schema === undefined || schema.hide === true) {
    return WITHOUT_ROUTE.has(body.code) ? null : `no route, and ${body.code}`;
  }
  const declared = [...problemsOf(schema, { ...request.routeOptions, config } as never).values()].flat();
  if (OF_ANY_BODY.has(body.code) || (declared as string[]).includes(body.code)) return null;
  return `the route does not declare ${body.code}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w/]/g, "\\$&");
}

/** `instance` is the path that the client sent. */
function leakOf({ title, detail, errors = [] }: Problem): string | null {
  const text = [title, detail, ...errors.map((fault) => fault.detail)].join("\n \n");
  return LEAKS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

const closedForms = new WeakMap<TSchema, TSchema>();

/** The schema without its tolerance for fields that it does not name. */
function closedForm<Schema extends TSchema>(schema: Schema): Schema {
  let closed = closedForms.get(schema);
  if (closed === undefined) {
    closed = close(schema) as TSchema;
    closedForms.set(schema, closed);
  }
  return closed as Schema;
}

function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close);
  if (typeof part !== "object" || part === null) return part;
  const members = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, close(value)]));
  const isClosable = "properties" in part && !("additionalProperties" in part);
  return isClosable ? { ...members, additionalProperties: false } : members;
}
