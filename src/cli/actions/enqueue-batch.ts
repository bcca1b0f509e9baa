import { createReadStream } from "node:fs";
import type { EnqueuedJobView } from "../../api/job.js";
import { ApiError } from "../../client/errors.js";
import { MAX_BATCH } from "../../core/defaults.js";
import type { Fault } from "../../core/errors.js";
import type { JobRequest } from "../../core/job-request.js";
import { CommandError } from "../command-error.js";
import type { Session } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { failureOf } from "../failure.js";
import { withFaults } from "../input/argument-faults.js";
import { parseJson } from "../input/json-text.js";
import { jobList } from "../views/job.js";

/** The server takes 8 MiB in one request. */
const MAX_CHARACTERS = 2_000_000;

interface Line {
  readonly number: number;
  readonly job: JobRequest;
}

/**
 * Enqueues the jobs of a file with one JSON object a line, up to 1000 in one request. A request is accepted as a
 * whole or not at all, so a fault leaves the lines before its request enqueued; the message says which.
 */
export async function enqueueBatch({ client, output }: Session, file: string): Promise<ExitCode> {
  let done = 0;
  async function* enqueued(): AsyncGenerator<EnqueuedJobView> {
    for await (const lines of chunksOf(linesOf(file))) {
      const jobs = await client.enqueueMany(lines.map(({ job }) => job)).catch((error: unknown) => {
        throw atLines(error, lines);
      });
      done = lines.at(-1)?.number ?? done;
      yield* jobs;
    }
  }
  try {
    await output.list(enqueued(), jobList(Date.now()));
    return EXIT.ok;
  } catch (error) {
    if (done === 0) throw error;
    console.error(`konveier: ${failureOf(error).text}`);
    output.message(`The jobs of lines 1 to ${done} were enqueued, those after them were not.`);
    return EXIT.partial;
  }
}

async function* linesOf(file: string): AsyncGenerator<Line & { readonly length: number }> {
  let number = 0;
  for await (const text of textLines(file)) {
    number += 1;
    if (text.trim() === "") continue;
    yield { number, job: parseJson(text, `line ${number}`) as JobRequest, length: text.length };
  }
}

async function* textLines(file: string): AsyncGenerator<string> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  let rest = "";
  try {
    for await (const part of input.setEncoding("utf8")) {
      const lines = (rest + (part as string)).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, EXIT.usage, {
      cause: error,
    });
  }
  yield rest;
}

async function* chunksOf(lines: AsyncIterable<Line & { readonly length: number }>): AsyncGenerator<Line[]> {
  let chunk: Line[] = [];
  let characters = 0;
  for await (const line of lines) {
    if (chunk.length === MAX_BATCH || (chunk.length > 0 && characters + line.length > MAX_CHARACTERS)) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(line);
    characters += line.length;
  }
  if (chunk.length > 0) yield chunk;
}

/** The same error, its faults told by the numbers of their lines. */
function atLines(error: unknown, lines: readonly Line[]): unknown {
  if (!(error instanceof ApiError)) return error;
  return withFaults(
    error,
    error.message,
    error.faults.map((fault) => faultAtLine(fault, lines)),
  );
}

function faultAtLine(fault: Fault, lines: readonly Line[]): Fault {
  const [, index, rest = ""] = /^\/(?:jobs\/)?(\d+)(.*)$/.exec(fault.pointer) ?? [];
  const line = index === undefined ? undefined : lines[Number(index)];
  return line === undefined ? fault : { ...fault, pointer: `line ${line.number} ${rest}`.trimEnd() };
}
