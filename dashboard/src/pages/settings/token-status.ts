import type { TokenView } from "../../api/types.js";

export type TokenStatus = "active" | "expired" | "revoked";

export function statusOf(
  { revokedAt, expiresAt }: Pick<TokenView, "revokedAt" | "expiresAt">,
  now: number,
): TokenStatus {
  if (revokedAt !== null && Date.parse(revokedAt) <= now) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "expired" : "active";
}

const DAY_MS = 86_400_000;

/** When a token ends that is valid for so many days; `undefined`: never. */
export function expiryIn(days: number, now: number): string | undefined {
  return days === 0 ? undefined : new Date(now + days * DAY_MS).toISOString();
}

/** The queues that are typed, separated by commas or space; `undefined`: all. */
export function queuesOf(text: string): readonly string[] | undefined {
  const queues = text.split(/[\s,]+/).filter((queue) => queue !== "");
  return queues.length === 0 ? undefined : queues;
}
