import type { IssuedTokenView, TokenBody } from "../../api/token.js";
import { clientOf, outputOf } from "../connect.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { namingArguments } from "../input/argument-faults.js";
import type { RemoteFlags } from "../remote-flags.js";
import type { TokenDesk } from "../token-desk.js";
import { issuedToken, revokedList, tokenList } from "../views/token.js";

export interface TokenFlags extends RemoteFlags {
  readonly database?: string;
}

export interface CreateFlags extends TokenFlags {
  readonly name: string;
  readonly scope: readonly string[];
  readonly queue?: readonly string[];
  readonly expires?: string;
}

export function createToken({ name, scope, queue, expires, ...flags }: CreateFlags): Promise<ExitCode> {
  const body = {
    name,
    scopes: [...scope] as TokenBody["scopes"],
    ...(queue !== undefined && { queues: [...queue] }),
    ...(expires !== undefined && { expiresAt: expires }),
  };
  return atDesk(flags, async (desk) => {
    const names = {
      "/name": "--name",
      "/scopes": "--scope",
      "/queues": "--queue",
      "/expiresAt": "--expires",
    };
    showIssued(flags, await namingArguments(names, desk.create(body)));
  });
}

export function listTokens(flags: TokenFlags): Promise<ExitCode> {
  return atDesk(flags, async (desk) => {
    await outputOf(flags).list(await desk.list(), tokenList(Date.now()));
  });
}

export function revokeToken(id: string, flags: TokenFlags): Promise<ExitCode> {
  return atDesk(flags, async (desk) => {
    await desk.revoke(id);
    await outputOf(flags).list([{ id, revoked: true }], revokedList);
  });
}

export function rotateToken(
  id: string,
  { overlap, ...flags }: TokenFlags & { readonly overlap?: number },
): Promise<ExitCode> {
  return atDesk(flags, async (desk) => {
    showIssued(flags, await desk.rotate(id, overlap === undefined ? {} : { overlapMs: overlap }));
  });
}

function showIssued(flags: TokenFlags, token: IssuedTokenView): void {
  const output = outputOf(flags);
  output.one(token, issuedToken(Date.now()));
  output.message("The token is shown only now. Keep it in a file that only its user can read.");
}

async function atDesk(flags: TokenFlags, act: (desk: TokenDesk) => Promise<void>): Promise<ExitCode> {
  const desk = await deskOf(flags);
  try {
    await act(desk);
  } finally {
    await desk.close();
  }
  return EXIT.ok;
}

async function deskOf(flags: TokenFlags): Promise<TokenDesk> {
  if (flags.database !== undefined) {
    const { openDatabaseTokenDesk } = await import("../database-token-desk.js");
    return openDatabaseTokenDesk(flags.database);
  }
  const { tokens } = clientOf(flags, process.env);
  return {
    create: (token) => tokens.create(token),
    list: () => tokens.list(),
    revoke: (id) => tokens.revoke(id),
    rotate: (id, settings) => tokens.rotate(id, settings),
    close: () => Promise.resolve(),
  };
}
