import { minuteOf, toSession, toToken, type SessionRow, type TokenRow } from "../token-rows.js";
import type { NewToken, Session, Successor, Token, TokenStore } from "../tokens.js";
import type { SqliteContext } from "./context.js";

export class SqliteTokens implements TokenStore {
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

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#insert = db.prepare(
      `INSERT INTO tokens (id, name, digest, scopes, queues, created_at, created_by, expires_at)
       VALUES (@id, @name, @digest, @scopes, @queues, @now, @createdBy, @expiresAt)`,
    );
    this.#find = db.prepare<[string], TokenRow>("SELECT * FROM tokens WHERE id = ?");
    this.#list = db.prepare<[], TokenRow>("SELECT * FROM tokens ORDER BY created_at DESC, id");
    this.#used = db.prepare<[number, string]>("UPDATE tokens SET last_used_at = ? WHERE id = ?");
    this.#revoke = db.prepare<[number, string]>(
      "UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
    );
    this.#insertSuccessor = db.prepare(
      `INSERT INTO tokens (id, name, digest, scopes, queues, created_at, created_by, expires_at)
       SELECT @id, name, @digest, scopes, queues, @now, @createdBy, expires_at FROM tokens
       WHERE id = @replaced AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > @now)`,
    );
    this.#expireBy = db.prepare<[number, string]>(
      "UPDATE tokens SET expires_at = min(coalesce(expires_at, 9e15), ?) WHERE id = ?",
    );
    this.#dropSessionsOf = db.prepare<[string]>("DELETE FROM sessions WHERE token_id = ?");
    this.#openSession = db.prepare<[Buffer, string, Buffer, number, number]>(
      "INSERT INTO sessions (digest, token_id, token_digest, created_at, seen_at) VALUES (?, ?, ?, ?, ?)",
    );
    this.#session = db.prepare<[Buffer], SessionRow>("SELECT * FROM sessions WHERE digest = ?");
    this.#sessionSeen = db.prepare<[number, Buffer]>("UPDATE sessions SET seen_at = ? WHERE digest = ?");
    this.#closeSession = db.prepare<[Buffer]>("DELETE FROM sessions WHERE digest = ?");
  }

  insert({ id, name, digest, scopes, queues, createdBy, expiresAt }: NewToken): Promise<Token> {
    return this.context.write(() => {
      this.#insert.run({
        id,
        name,
        digest,
        scopes: JSON.stringify(scopes),
        queues: queues === null ? null : JSON.stringify(queues),
        now: this.context.clock.now(),
        createdBy,
        expiresAt,
      });
      return this.#existing(id);
    });
  }

  find(id: string): Promise<(Token & { readonly digest: Buffer }) | null> {
    return this.context.read(() => {
      const row = this.#find.get(id);
      return row === undefined ? null : { digest: row.digest, ...toToken(row) };
    });
  }

  list(): Promise<readonly Token[]> {
    return this.context.read(() => this.#list.all().map(toToken));
  }

  async used(id: string): Promise<void> {
    await this.context.write(() => this.#used.run(minuteOf(this.context.clock.now()), id));
  }

  revoke(id: string): Promise<Token | null> {
    return this.context.write(() => {
      const { changes } = this.#revoke.run(this.context.clock.now(), id);
      this.#dropSessionsOf.run(id);
      return changes === 0 ? null : this.#existing(id);
    });
  }

  replace(replaced: string, successor: Successor, overlapMs: number): Promise<Token | null> {
    return this.context.write(() => {
      const now = this.context.clock.now();
      if (this.#insertSuccessor.run({ replaced, ...successor, now }).changes === 0) return null;
      this.#expireBy.run(now + overlapMs, replaced);
      return this.#existing(successor.id);
    });
  }

  async openSession(digest: Buffer, { tokenId, tokenDigest }: Pick<Session, "tokenId" | "tokenDigest">) {
    await this.context.write(() => {
      const now = this.context.clock.now();
      this.#openSession.run(digest, tokenId, tokenDigest, now, now);
    });
  }

  session(digest: Buffer): Promise<Session | null> {
    return this.context.read(() => {
      const row = this.#session.get(digest);
      return row === undefined ? null : toSession(row);
    });
  }

  async sessionSeen(digest: Buffer): Promise<void> {
    await this.context.write(() => this.#sessionSeen.run(minuteOf(this.context.clock.now()), digest));
  }

  async closeSession(digest: Buffer): Promise<void> {
    await this.context.write(() => this.#closeSession.run(digest));
  }

  #existing(id: string): Token {
    const row = this.#find.get(id);
    if (row === undefined) throw new Error(`Token ${id} vanished inside a transaction`);
    return toToken(row);
  }
}
