import type { ProblemView } from "./types.js";

/** What went wrong with a request, whoever says so: the server in a problem document, or the network. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    /** 0: there was no answer. */
    readonly status: number,
    /** A code of docs/errors.md; `unreachable` or `timeout` when there was no answer. */
    readonly code: string,
    message: string,
    readonly requestId: string | null = null,
    readonly document: ProblemView | null = null,
  ) {
    super(message);
  }
}

/** Whether it may be gone when the same is asked again: the server, or the way to it, is at fault and not the question. */
export function isPassing({ status }: Problem): boolean {
  return status < 400 || status === 429 || status >= 500;
}

/** The problem that an answer states. */
export async function problemOf(answer: Response): Promise<Problem> {
  const requestId = answer.headers.get("Konveier-Request-Id");
  try {
    const document = (await answer.json()) as ProblemView;
    return new Problem(answer.status, document.code, document.detail, requestId, document);
  } catch {
    // Something between the browser and the server answered, such as a proxy during a deploy.
    const code = answer.ok ? "foreign_answer" : "no_problem_document";
    return new Problem(answer.status, code, answer.statusText, requestId);
  }
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return new Problem(0, "timeout", "The server did not answer in time.");
  }
  return new Problem(0, "unreachable", error instanceof Error ? error.message : String(error));
}
