/**
 * How much a client wants something that its `Accept` or `Accept-Encoding` header names: from 1 down to 0, which is
 * not at all (RFC 9110, 12.4.2). What it does not name itself, wildcards aside, is 0.
 */
export function namedQuality(header: string | undefined, value: string): number {
  for (const part of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    if (name !== value) continue;
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    return q === undefined ? 1 : Number(q.slice("q=".length)) || 0;
  }
  return 0;
}
