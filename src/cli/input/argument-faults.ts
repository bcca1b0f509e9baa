import { ApiError } from "../../client/errors.js";
import type { Fault } from "../../core/errors.js";
import { exactDuration } from "../output/time-text.js";

/**
 * Waits for the answer to a request that the command's arguments were put into. A refusal then names the argument and
 * not the place in the request, which whoever typed the command never saw.
 *
 * @param names arguments by the JSON pointers of what became of them
 */
export async function namingArguments<T>(
  names: Readonly<Record<string, string>>,
  answer: Promise<T>,
): Promise<T> {
  return answer.catch((error: unknown) => {
    throw error instanceof ApiError ? withNames(error, names) : error;
  });
}

function withNames(error: ApiError, names: Readonly<Record<string, string>>): ApiError {
  let { message } = error;
  const faults = error.faults.map((fault) => {
    const [, name] =
      Object.entries(names).find(([place]) => `${fault.pointer}/`.startsWith(`${place}/`)) ?? [];
    if (name === undefined) return fault;
    const detail = withOtherNames(inDurations(fault), names);
    message = message.replace(`${fault.pointer} ${fault.detail}`, () => `${name} ${detail}`);
    return { ...fault, pointer: name, detail };
  });
  return withFaults(error, message, faults);
}

/** Another field that the fault speaks of. */
function withOtherNames(detail: string, names: Readonly<Record<string, string>>): string {
  return detail.replace(/\b[a-z]+[A-Z]\w*\b/g, (field) => names[`/${field}`] ?? field);
}

/** Milliseconds in the way in which the command takes them. */
function inDurations({ pointer, detail }: Fault): string {
  if (!pointer.endsWith("Ms")) return detail;
  return detail.replace(
    /a whole number from (\d+) to (\d+)/,
    (_, min, max) => `from ${exactDuration(Number(min))} to ${exactDuration(Number(max))}`,
  );
}

/** The same refusal, told otherwise. */
export function withFaults(error: ApiError, detail: string, errors: readonly Fault[]): ApiError {
  const { code, status, requestId, retryable, retryAfterMs } = error;
  const problem = {
    code,
    detail,
    status,
    requestId,
    retryable,
    errors: [...errors],
    type: "",
    title: "",
    instance: "",
  };
  return new ApiError(problem, retryAfterMs);
}
