import { MAX_ERROR_MESSAGE_LENGTH, MAX_ERROR_STACK_LENGTH } from "./defaults.js";
import { storableText } from "./storable-text.js";

/** What is kept of an error that ended an attempt. */
export interface StoredError {
  /** Class name, such as `TypeError`. */
  readonly type: string;
  /** Never empty. */
  readonly message: string;
  readonly stack: string | null;
}

/**
 * Describes whatever a handler threw. Handlers throw anything, also values whose getters throw,
 * and recording the failure must not fail itself.
 */
export function describeError(thrown: unknown): StoredError {
  const type = attempt(() => typeOf(thrown)) ?? "Error";
  const message = attempt(() => messageOf(thrown)) ?? "A value was thrown that cannot be described";
  const stack = attempt(() => stackOf(thrown)) ?? null;
  return {
    type: storableText(type, 200),
    message: storableText(message, MAX_ERROR_MESSAGE_LENGTH),
    stack: stack === null ? null : storableText(stack, MAX_ERROR_STACK_LENGTH),
  };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function typeOf(thrown: unknown): string {
  if (thrown instanceof Error) {
    // Anything may have been assigned to it.
    const name: unknown = thrown.name;
    return typeof name === "string" && name !== "" ? name : "Error";
  }
  if (thrown === null) return "null";
  return typeof thrown;
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) {
    const own = attempt(() => messageTextOf(thrown)) ?? "";
    // An error that was made from another one often repeats it already.
    const causes = causesOf(thrown).filter((cause) => !own.includes(cause));
    return [own || `${typeOf(thrown)} without a message`, ...causes].join(": ");
  }
  if (typeof thrown === "string") return thrown || "An empty string was thrown";
  if (typeof thrown === "object" && thrown !== null) {
    const message: unknown = attempt(() => (thrown as { message?: unknown }).message);
    if (typeof message === "string" && message !== "") return message;
    return `An object was thrown: ${attempt(() => JSON.stringify(thrown)) ?? Object.prototype.toString.call(thrown)}`;
  }
  return `${String(thrown)} was thrown`;
}

/** Anything may have been assigned to `message`. */
function messageTextOf(error: { readonly message: unknown }): string {
  return typeof error.message === "string" ? error.message : "";
}

/** `fetch failed` alone helps nobody: its cause says why. Bounded, since causes may form a cycle. */
function causesOf(error: Error): string[] {
  const messages: string[] = [];
  let cause: unknown = attempt(() => error.cause);
  for (let depth = 0; depth < 3 && cause instanceof Error; depth += 1) {
    const current = cause;
    const message = attempt(() => messageTextOf(current));
    if (message) messages.push(message);
    cause = attempt(() => current.cause);
  }
  return messages;
}

function stackOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const stack: unknown = thrown.stack;
  return typeof stack === "string" ? stack : undefined;
}
