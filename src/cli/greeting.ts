import { dirname, join } from "node:path";
import { describeDatabase, type DatabaseAddress } from "../database-address.js";
import type { ServeConfig } from "./serve-config.js";

/** Where the token of this server came from. */
export type TokenSource =
  | { readonly kind: "variable" }
  | { readonly kind: "file"; readonly file: string }
  /** Made for this run: the database is in memory, so there is no directory to keep it in. */
  | { readonly kind: "memory" };

/** Where a token that nobody has given is kept; `null` when the database is in memory. */
export function tokenFile(database: DatabaseAddress): string | null {
  // A database elsewhere has no directory here: the token is one of this server's own.
  if (database.kind === "postgres") return "data/api-token";
  return database.file === ":memory:" ? null : join(dirname(database.file), "api-token");
}

/** What a person reads first: where the server is, which token opens it, what to try. */
export function greeting(
  url: string,
  version: string,
  { database, worker, seedDemo }: Pick<ServeConfig, "database" | "worker" | "seedDemo">,
  token: TokenSource,
): string {
  const { concurrency, queues } = worker;
  const rows = [
    [
      "Database",
      tokenFile(database) === null ? "in memory: it ends with the server" : describeDatabase(database),
    ],
    ["API token", tokenText(token)],
    ["Worker", `${concurrency} jobs at a time from ${queues.join(", ")}`],
    ...(seedDemo ? [["Demo", "email.send and image.resize are simulated: nothing is sent"]] : []),
  ];
  return [
    `Konveier ${version} is ready at ${url}`,
    "",
    ...rows.map(([label = "", text = ""]) => `  ${label.padEnd(10)} ${text}`),
    "",
    "  Try it:",
    `  curl -H "Authorization: Bearer ${tokenInShell(token)}" ${url}/v1/queues`,
    "",
    "  Ctrl-C stops the server.",
    "",
  ].join("\n");
}

function tokenText(token: TokenSource): string {
  switch (token.kind) {
    case "variable":
      return "the value of API_TOKEN";
    case "file":
      return `in ${token.file}`;
    case "memory":
      return "made for this run, shown above";
  }
}

function tokenInShell(token: TokenSource): string {
  switch (token.kind) {
    case "variable":
      return "$API_TOKEN";
    case "file":
      return `$(cat ${shellWord(token.file)})`;
    case "memory":
      return "<token>";
  }
}

function shellWord(text: string): string {
  return /^[\w./@%+,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
