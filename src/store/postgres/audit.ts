import type { Instant } from "../../core/job.js";
import type { AuditEntry, AuditStore, NewAuditEntry } from "../audit.js";
import type { PostgresContext } from "./context.js";
import { Statement } from "./statement.js";

interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly token_id: string;
  readonly token_name: string;
  readonly session: boolean;
  readonly ip: string;
  readonly request_id: string;
  readonly action: string;
  readonly target: string | null;
  readonly detail: string | null;
  readonly status: number | null;
}

export class PostgresAudit implements AuditStore {
  readonly #begin;
  readonly #finish;
  readonly #list;

  constructor(private readonly context: PostgresContext) {
    const { s } = context;
    this.#begin = new Statement<
      [
        at: Instant,
        tokenId: string,
        tokenName: string,
        session: boolean,
        ip: string,
        requestId: string,
        action: string,
        target: string | null,
        detail: string | null,
        status: number | null,
      ],
      { seq: number }
    >(
      `INSERT INTO ${s}.audit
         (at, token_id, token_name, session, ip, request_id, action, target, detail, status)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING seq`,
    );
    this.#finish = new Statement<[seq: number, status: number], never>(
      `UPDATE ${s}.audit SET status = $2 WHERE seq = $1 AND status IS NULL`,
    );
    this.#list = new Statement<[before: number, limit: number], AuditRow>(
      `SELECT * FROM ${s}.audit WHERE seq < $1 ORDER BY seq DESC LIMIT $2`,
    );
  }

  begin(entry: NewAuditEntry): Promise<number> {
    return this.context.write(async (tx) => {
      const row = await this.#begin.get(
        tx,
        tx.now,
        entry.tokenId,
        JSON.stringify(entry.tokenName),
        entry.session,
        entry.ip,
        entry.requestId,
        entry.action,
        textOf(entry.target),
        textOf(entry.detail),
        entry.status,
      );
      if (row === undefined) throw new Error("An audit entry was not inserted");
      return row.seq;
    });
  }

  async finish(seq: number, status: number): Promise<void> {
    await this.context.write((tx) => this.#finish.run(tx, seq, status));
  }

  list(limit: number, beforeSeq: number | null): Promise<readonly AuditEntry[]> {
    return this.context.read(async (db) =>
      (await this.#list.all(db, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit)).map((row) => ({
        seq: row.seq,
        at: row.at,
        tokenId: row.token_id,
        tokenName: parse(row.token_name),
        session: row.session,
        ip: row.ip,
        requestId: row.request_id,
        action: row.action,
        target: row.target === null ? null : parse(row.target),
        detail: row.detail === null ? null : parse(row.detail),
        status: row.status,
      })),
    );
  }
}

function textOf(value: string | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function parse(text: string): string {
  return JSON.parse(text) as string;
}
