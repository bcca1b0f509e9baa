import { isIPv6 } from "node:net";

const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Where the server of this environment is reached from its own machine. */
export function localUrl(env: Readonly<Record<string, string | undefined>>): string {
  const given = env["HOST"];
  const host = given === undefined || given === "" ? "127.0.0.1" : (EVERYWHERE.get(given) ?? given);
  const port = env["PORT"];
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port === undefined || port === "" ? "8085" : port}`;
}
