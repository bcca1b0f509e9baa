import type { IssuedTokenView, TokenView } from "../../api/token.js";
import type { ListView, ThingView } from "../output/output.js";
import { instantText, relativeOr } from "../output/time-text.js";

export function tokenList(now: number): ListView<TokenView> {
  return {
    id: ({ id }) => id,
    empty: "There are no tokens besides the one of the configuration.",
    columns: [
      { title: "ID", text: ({ id }) => id },
      { title: "NAME", text: ({ name }) => name, least: 10 },
      { title: "SCOPES", text: ({ scopes }) => scopes.join(","), least: 8 },
      { title: "QUEUES", text: ({ queues }) => queues?.join(",") ?? "all", least: 6 },
      { title: "USED", text: ({ lastUsedAt }) => relativeOr("never", lastUsedAt, now), align: "right" },
      { title: "ENDS", text: (token) => endOf(token, now), align: "right" },
    ],
  };
}

function endOf({ expiresAt, revokedAt }: TokenView, now: number): string {
  return revokedAt === null ? relativeOr("never", expiresAt, now) : "revoked";
}

export function issuedToken(now: number): ThingView<IssuedTokenView> {
  return {
    id: ({ id }) => id,
    fields: (token) => [
      ["id", token.id],
      ["name", token.name],
      ["scopes", token.scopes.join(", ")],
      ["queues", token.queues?.join(", ") ?? "all"],
      ["expires", instantText(token.expiresAt, now) ?? "never"],
      ["token", token.token],
    ],
  };
}

export const revokedList: ListView<{ readonly id: string; readonly revoked: true }> = {
  id: ({ id }) => id,
  empty: "Nothing was revoked.",
  columns: [
    { title: "ID", text: ({ id }) => id },
    { title: "STATE", text: () => "revoked" },
  ],
};
