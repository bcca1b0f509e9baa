import type { AuditEntry, AuditStore, NewAuditEntry } from "../audit.js";
import type { SqliteContext } from "./context.js";

interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly token_id: string;
  readonly token_name: string;
  readonly session: number;
  readonly ip: string;
  readonly request_id: string;
  readonly action: string;
  readonly target: string | null;
  readonly detail: string | null;
  readonly status: number | null;
}

export class SqliteAudit implements AuditStore {
  readonly #begin;
  readonly #finish;
  readonly #list;

  constructor(private readonly context: SqliteContext) {
    const { db } = context;
    this.#begin = db.prepare(
      `INSERT INTO audit (at, token_id, token_name, session, ip, request_id, action, target, detail, status)
       VALUES (@now, @tokenId, @tokenName, @session, @ip, @requestId, @action, @target, @detail, @status)`,
    );
    this.#finish = db.prepare<[number, number]>(
      "UPDATE audit SET status = ? WHERE seq = ? AND status IS NULL",
    );
    this.#list = db.prepare<[number, number], AuditRow>(
      "SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
    );
  }

  begin({
    tokenId,
    tokenName,
    ip,
    requestId,
    action,
    target,
    detail,
    ...entry
  }: NewAuditEntry): Promise<number> {
    const session = entry.session ? 1 : 0;
    const { status } = entry;
    return this.context.write(() => {
      const now = this.context.clock.now();
      const row = { now, tokenId, tokenName, session, ip, requestId, action, target, detail, status };
      return Number(this.#begin.run(row).lastInsertRowid);
    });
  }

  async finish(seq: number, status: number): Promise<void> {
    await this.context.write(() => this.#finish.run(status, seq));
  }

  list(limit: number, beforeSeq: number | null): Promise<readonly AuditEntry[]> {
    return this.context.read(() =>
      this.#list.all(beforeSeq ?? Number.MAX_SAFE_INTEGER, limit).map((row) => ({
        seq: row.seq,
        at: row.at,
        tokenId: row.token_id,
        tokenName: row.token_name,
        session: row.session === 1,
        ip: row.ip,
        requestId: row.request_id,
        action: row.action,
        target: row.target,
        detail: row.detail,
        status: row.status,
      })),
    );
  }
}
