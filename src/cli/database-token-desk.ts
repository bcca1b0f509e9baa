import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { parseInstant } from "../core/instant.js";
import { storableText } from "../core/storable-text.js";
import { createToken, DEFAULT_OVERLAP_MS, revokeToken, rotateToken } from "../engine/access/tokens.js";
import { createContext, type EngineContext } from "../engine/context.js";
import { openStore } from "../open-store.js";
import { issuedTokenView, tokenView } from "../server/views/token.js";
import { CommandError } from "./command-error.js";
import { databaseAddressOf } from "./database-url.js";
import { EXIT } from "./exit-codes.js";
import type { TokenDesk } from "./token-desk.js";

/** Who made a token that no token made. */
const BY = "cli";

/**
 * Works on the tokens in a database, for who has lost the last admin token. Whoever may write the database may do
 * that; it is written down in the audit log all the same.
 *
 * @throws CommandError when there is no such file: a new one would have the tokens of no server
 */
export async function openDatabaseTokenDesk(url: string): Promise<TokenDesk> {
  const address = databaseAddressOf(url);
  if (address.kind === "sqlite" && !existsSync(address.file)) {
    throw new CommandError(`there is no database ${address.file}`, EXIT.configuration);
  }
  const store = await openStore(url, { schema: process.env["KONVEIER_SCHEMA"] });
  const context = createContext(store);
  return {
    create: ({ name, scopes, queues = null, expiresAt }) =>
      audited(context, "createToken", null, async () => {
        const end = expiresAt === undefined ? null : parseInstant(expiresAt);
        const request = { name, scopes, queues, expiresAt: typeof end === "number" ? end : null };
        return issuedTokenView(await createToken(context, request, BY));
      }),
    list: async () => (await store.tokens.list()).map(tokenView),
    revoke: async (id) => {
      await audited(context, "revokeToken", id, () => revokeToken(context, id));
    },
    rotate: (id, { overlapMs = DEFAULT_OVERLAP_MS }) =>
      audited(context, "rotateToken", id, async () =>
        issuedTokenView(await rotateToken(context, id, overlapMs, BY)),
      ),
    close: () => store.close(),
  };
}

async function audited<Result>(
  { store }: EngineContext,
  action: string,
  target: string | null,
  act: () => Promise<Result>,
): Promise<Result> {
  const seq = await store.audit.begin({
    tokenId: BY,
    tokenName: BY,
    session: false,
    ip: "local",
    requestId: randomUUID(),
    action,
    target: target === null ? null : storableText(target, 200),
    detail: storableText(`by ${userInfo().username} on the database`, 200),
    status: null,
  });
  const result = await act();
  await store.audit.finish(seq, 200);
  return result;
}
