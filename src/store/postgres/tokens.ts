import type { Instant } from "../../core/job.js";
import { minuteOf, toSession, toToken, type SessionRow, type TokenRow } from "../token-rows.js";
import type { NewToken, Session, Successor, Token, TokenStore } from "../tokens.js";
import type { PostgresContext } from "./context.js";
import { TryAgain } from "./errors.js";
import { Statement } from "./statement.js";

export class PostgresTokens implements TokenStore {
  readonly #insert;
  readonly #find;
  readonly #list;
  readonly #used;
  readonly #revoke;
  readonly #insertSuccessor;
  readonly #expireBy;
  readonly #dropSessionsOf;
  readonly #openSession;
  readonly #session;
  readonly #sessionSeen;
  readonly #closeSession;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#insert = new Statement<
      [
        id: string,
        name: string,
        digest: Buffer,
        scopes: string,
        queues: string | null,
        now: Instant,
        createdBy: string,
        expiresAt: Instant | null,
      ],
      TokenRow
    >(
      `INSERT INTO ${s}.tokens (id, name, digest, scopes, queues, created_at, created_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *`,
    );
    this.#find = new Statement<[id: string], TokenRow>(`SELECT * FROM ${s}.tokens WHERE id = $1`);
    this.#list = new Statement<[], TokenRow>(`SELECT * FROM ${s}.tokens ORDER BY created_at DESC, id`);
    this.#used = new Statement<[at: Instant, id: string], never>(
      `UPDATE ${s}.tokens SET last_used_at = $1 WHERE id = $2`,
    );
    this.#revoke = new Statement<[at: Instant, id: string], TokenRow>(
      `UPDATE ${s}.tokens SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING *`,
    );
    this.#insertSuccessor = new Statement<
      [id: string, digest: Buffer, createdBy: string, now: Instant, replaced: string],
      TokenRow
    >(
      `INSERT INTO ${s}.tokens (id, name, digest, scopes, queues, created_at, created_by, expires_at)
       SELECT $1, name, $2, scopes, queues, $4::bigint, $3, expires_at FROM ${s}.tokens
       WHERE id = $5 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4::bigint) RETURNING *`,
    );
    // `least` passes over NULL: a token without an end gets one.
    this.#expireBy = new Statement<[at: Instant, id: string, read: Instant | null], never>(
      `UPDATE ${s}.tokens SET expires_at = least(expires_at, $1)
       WHERE id = $2 AND revoked_at IS NULL AND expires_at IS NOT DISTINCT FROM $3::bigint`,
    );
    this.#dropSessionsOf = new Statement<[tokenId: string], never>(
      `DELETE FROM ${s}.sessions WHERE token_id = $1`,
    );
    this.#openSession = new Statement<
      [digest: Buffer, tokenId: string, tokenDigest: Buffer, now: Instant],
      never
    >(
      `INSERT INTO ${s}.sessions (digest, token_id, token_digest, created_at, seen_at) VALUES ($1, $2, $3, $4, $4)`,
    );
    this.#session = new Statement<[digest: Buffer], SessionRow>(
      `SELECT * FROM ${s}.sessions WHERE digest = $1`,
    );
    this.#sessionSeen = new Statement<[at: Instant, digest: Buffer], never>(
      `UPDATE ${s}.sessions SET seen_at = $1 WHERE digest = $2`,
    );
    this.#closeSession = new Statement<[digest: Buffer], never>(
      `DELETE FROM ${s}.sessions WHERE digest = $1`,
    );
  }

  insert({ id, name, digest, scopes, queues, createdBy, expiresAt }: NewToken): Promise<Token> {
    return this.context.write(async (tx) => {
      const row = await this.#insert.get(
        tx,
        id,
        name,
        digest,
        JSON.stringify(scopes),
        queues === null ? null : JSON.stringify(queues),
        tx.now,
        createdBy,
        expiresAt,
      );
      if (row === undefined) throw new Error(`Token ${id} was not inserted`);
      return toToken(row);
    });
  }

  find(id: string): Promise<(Token & { readonly digest: Buffer }) | null> {
    return this.context.read(async (db) => {
      const row = await this.#find.get(db, id);
      return row === undefined ? null : { digest: row.digest, ...toToken(row) };
    });
  }

  list(): Promise<readonly Token[]> {
    return this.context.read(async (db) => (await this.#list.all(db)).map(toToken));
  }

  async used(id: string): Promise<void> {
    await this.context.write((tx) => this.#used.run(tx, minuteOf(tx.now), id));
  }

  revoke(id: string): Promise<Token | null> {
    return this.context.write(async (tx) => {
      const row = await this.#revoke.get(tx, tx.now, id);
      await this.#dropSessionsOf.run(tx, id);
      return row === undefined ? null : toToken(row);
    });
  }

  replace(replaced: string, { id, digest, createdBy }: Successor, overlapMs: number): Promise<Token | null> {
    return this.context.write(async (tx) => {
      const row = await this.#insertSuccessor.get(tx, id, digest, createdBy, tx.now, replaced);
      if (row === undefined) return null;
      // Somebody else has replaced or revoked it since it was read.
      const changes = await this.#expireBy.run(tx, tx.now + overlapMs, replaced, row.expires_at);
      if (changes === 0) throw new TryAgain();
      return toToken(row);
    });
  }

  async openSession(
    digest: Buffer,
    { tokenId, tokenDigest }: Pick<Session, "tokenId" | "tokenDigest">,
  ): Promise<void> {
    await this.context.write((tx) => this.#openSession.run(tx, digest, tokenId, tokenDigest, tx.now));
  }

  session(digest: Buffer): Promise<Session | null> {
    return this.context.read(async (db) => {
      const row = await this.#session.get(db, digest);
      return row === undefined ? null : toSession(row);
    });
  }

  async sessionSeen(digest: Buffer): Promise<void> {
    await this.context.write((tx) => this.#sessionSeen.run(tx, minuteOf(tx.now), digest));
  }

  async closeSession(digest: Buffer): Promise<void> {
    await this.context.write((tx) => this.#closeSession.run(tx, digest));
  }
}
