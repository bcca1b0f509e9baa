import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { KonveierError } from "../core/errors.js";
import { MAX_PAYLOAD_DEPTH } from "../core/defaults.js";
import { exceededLimit, findInexactNumber } from "../core/payload.js";
import { cutResults } from "./cut-results.js";

declare module "fastify" {
  interface FastifyRequest {
    /** What is wrong with the body. Told only after parsing, so that the connection survives it. */
    bodyFault: KonveierError | null;
    /** Why results are not in the body; `null`: they are. */
    resultFaults: ResultFaults | null;
  }
  interface FastifyContextConfig {
    /** The body says that work is done: no result in it is a reason to refuse that. */
    hasResults?: true;
    /** The body may hold as many jobs as a flow has. */
    hasFlow?: true;
  }
}

/**
 * Far above what a payload may have, so that the payload rules speak first. Millions of levels take
 * `JSON.parse` seconds and a gigabyte, in which the server answers nobody.
 */
const MAX_BODY_DEPTH = 10_000;
/**
 * Far above what a thousand jobs have. Half a million fields of as many names take `JSON.parse` and the check
 * of the schema seconds, in which the server answers nobody.
 */
const MAX_BODY_MEMBERS = 100_000;
/**
 * More than a batch of embeddings at the limit of bytes has. Two million short numbers take a second to read and
 * write again.
 */
const MAX_BODY_VALUES = 500_000;
/**
 * Of a flow of 100 000 jobs, each with a name, a small payload and a dependency. Reading it takes a second, in which the
 * server answers nobody: only where flows are made.
 */
const MAX_FLOW_BODY_PARTS = 1_000_000;
/** A larger one is read in turns: reading all of 8 MiB at once keeps everybody else waiting for 0.1 s. */
const LARGE_BODY_BYTES = 256 * 1024;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

interface ReadBody {
  readonly body: unknown;
  readonly fault: KonveierError | null;
  readonly resultFaults: ResultFaults | null;
}

/** By the index of the acknowledgement; the one of a completion has index 0. */
export type ResultFaults = ReadonlyMap<number, KonveierError>;

/**
 * Makes a parser that reads a JSON body as it is, or refuses it: bytes that are not UTF-8 and numbers that would
 * come back as others are faults. Keys such as `__proto__` are plain data to `JSON.parse`.
 */
export function jsonBodyParser(): (request: FastifyRequest, bytes: Buffer) => Promise<unknown> {
  let largeBodies: Promise<unknown> = Promise.resolve();

  const readInTurn = (steps: Generator<void, ReadBody>): Promise<ReadBody> => {
    const read = largeBodies.then(() => readStepByStep(steps));
    // One after another: the next one begins however this one ends.
    largeBodies = read.catch(() => undefined);
    return read;
  };

  return async (request, bytes) => {
    if (bytes.length === 0) return undefined;
    const { hasResults = false, hasFlow } = request.routeOptions.config;
    const limits = hasFlow === true ? FLOW_LIMITS : LIMITS;
    const steps = readBody(request.headers["content-type"], bytes, hasResults, limits);
    try {
      const { body, fault, resultFaults } =
        bytes.length > LARGE_BODY_BYTES ? await readInTurn(steps) : readAtOnce(steps);
      request.bodyFault = fault;
      request.resultFaults = resultFaults;
      return body;
    } catch (error) {
      if (!(error instanceof KonveierError)) throw error;
      request.bodyFault = error;
      return undefined;
    }
  };
}

function* readBody(
  contentType: string | undefined,
  bytes: Buffer,
  hasResults: boolean,
  limits: BodyLimits,
): Generator<void, ReadBody> {
  requireUtf8(contentType);
  const text = decode(bytes);
  yield;
  if (text === null) {
    const cut = hasResults ? cutUndecoded(bytes) : null;
    if (cut === null) throw new KonveierError("malformed_json", "The body is not valid UTF-8.");
    return yield* readAroundResults(cut);
  }
  const absurdity = absurdityOf(text, limits);
  yield;
  const fault = absurdity === null ? precisionFault(text) : null;
  const hasFault = absurdity !== null || fault !== null;
  const cut = hasResults && hasFault ? cutResults(text) : null;
  if (cut !== null) return yield* readAroundResults(cut);
  if (absurdity !== null) throw absurdity;
  yield;
  return { body: parse(text), fault, resultFaults: null };
}

interface ReadableBody {
  readonly rest: string;
  /** `null` for one that is not UTF-8. */
  readonly results: ReadonlyMap<number, string | null>;
}

/** What is UTF-8 of a body that is not as a whole; `null` when that is more than its results. */
function cutUndecoded(bytes: Buffer): ReadableBody | null {
  // Each byte as one character: all that JSON is built of is ASCII.
  const cut = cutResults(bytes.toString("latin1"));
  const rest = cut === null ? null : decode(Buffer.from(cut.rest, "latin1"));
  if (cut === null || rest === null) return null;
  const results = [...cut.results].map(
    ([index, text]) => [index, decode(Buffer.from(text, "latin1"))] as const,
  );
  return { rest, results: new Map(results) };
}

/** The results are read each by itself, so that a bad one is neither a fault of the body nor of another one. */
function* readAroundResults({ rest, results }: ReadableBody): Generator<void, ReadBody> {
  const absurdity = absurdityOf(rest);
  if (absurdity !== null) throw absurdity;
  const body = parse(rest);
  const resultFaults = new Map<number, KonveierError>();
  for (const [index, text] of results) {
    yield;
    const read = readResult(text);
    if (read instanceof KonveierError) resultFaults.set(index, read);
    else setResult(body, index, read.result);
  }
  return { body, fault: precisionFault(rest), resultFaults };
}

function readResult(text: string | null): { readonly result: unknown } | KonveierError {
  if (text === null) return new KonveierError("malformed_json", "The result is not valid UTF-8.");
  return faultOfResult(text) ?? { result: parse(text) };
}

function faultOfResult(text: string): KonveierError | null {
  switch (exceededLimit(text, MAX_PAYLOAD_DEPTH, MAX_BODY_MEMBERS, MAX_BODY_VALUES)) {
    case "depth":
      return new KonveierError(
        "payload_too_deep",
        `The result is nested deeper than ${MAX_PAYLOAD_DEPTH} levels.`,
      );
    case "members":
    case "values":
      return new KonveierError("payload_too_large", "The result has too many values.");
    case null:
      return precisionFault(text);
  }
}

function setResult(body: unknown, index: number, result: unknown): void {
  const { results } = body as { results?: unknown };
  const holder: unknown = Array.isArray(results) ? results[index] : body;
  if (typeof holder === "object" && holder !== null) Object.assign(holder, { result });
}

function readAtOnce(steps: Generator<void, ReadBody>): ReadBody {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** With a turn of the event loop for everybody else before each step. */
async function readStepByStep(steps: Generator<void, ReadBody>): Promise<ReadBody> {
  for (;;) {
    await nextTurn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** @throws KonveierError `unsupported_media_type` */
function requireUtf8(contentType: string | undefined): void {
  const charset = CHARSET.exec(contentType ?? "")?.[1]?.toLowerCase() ?? "utf-8";
  if (charset !== "utf-8" && charset !== "utf8") {
    throw new KonveierError("unsupported_media_type", "The body must be UTF-8; no other charset is read.");
  }
}

/** `null`: it is not UTF-8. */
function decode(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

interface BodyLimits {
  readonly members: number;
  readonly values: number;
}

const LIMITS: BodyLimits = { members: MAX_BODY_MEMBERS, values: MAX_BODY_VALUES };
const FLOW_LIMITS: BodyLimits = { members: MAX_FLOW_BODY_PARTS, values: MAX_FLOW_BODY_PARTS };

function absurdityOf(text: string, { members, values }: BodyLimits = LIMITS): KonveierError | null {
  switch (exceededLimit(text, MAX_BODY_DEPTH, members, values)) {
    case "depth":
      return new KonveierError(
        "payload_too_deep",
        `The body is nested deeper than ${MAX_BODY_DEPTH} levels.`,
      );
    case "members":
      return new KonveierError(
        "body_too_large",
        `The body has more than ${members} objects, arrays and fields.`,
      );
    case "values":
      return new KonveierError("body_too_large", `The body has more than ${values} values in its lists.`);
    case null:
      return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KonveierError("malformed_json", `The body is not JSON: ${(error as Error).message}.`);
  }
}

function precisionFault(text: string): KonveierError | null {
  const number = findInexactNumber(text);
  if (number === null) return null;
  const shown = number.length > 40 ? `${number.slice(0, 40)}…` : number;
  return new KonveierError(
    "number_precision",
    `The number ${shown} would change: JSON numbers are read as doubles here. Send it as a string.`,
  );
}

/** The hook that refuses a faulty body. No body counts as an empty object, so that faults name the missing fields. */
export function refuseFaultyBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const { bodyFault } = request;
  if (bodyFault === null && request.body === undefined) request.body = {};
  if (bodyFault === null) done();
  else done(bodyFault);
}

/** The hook that refuses compressed bodies: inflating what a stranger sends is how small requests fill memory. */
export function refuseContentEncoding(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const { "content-encoding": encoding = "identity", "transfer-encoding": transfer = "chunked" } =
    request.headers;
  if (encoding.toLowerCase() === "identity" && transfer.toLowerCase() === "chunked") done();
  else done(new KonveierError("unsupported_media_type", "Send the body without a content encoding."));
}
