/** At once where the database is in this process, later where it is not. */
export type MaybePromise<T> = T | Promise<T>;

/** A connection of better-sqlite3 with a transaction open on it, on the file that the jobs are in. */
export interface SqliteConnection {
  readonly name: string;
  readonly inTransaction: boolean;
  prepare(sql: string): unknown;
  exec(sql: string): unknown;
}

/**
 * A client of pg with a transaction open on it, in the database that the jobs are in. Anything else that runs a
 * statement on such a connection and answers with its rows will do.
 */
export interface PostgresClient {
  query(statement: {
    readonly text: string;
    readonly values: unknown[];
  }): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>;
}

/** What a handler can do in a transaction of its own. */
export interface JobWithin {
  /**
   * Completes the job in the transaction: its end is committed or rolled back with what else was written there. A job
   * whose transaction is rolled back, or never committed, has failed, even if the handler returns.
   *
   * @param result kept with the job, instead of what the handler returns
   * @throws LeaseLostError when the job is no longer held: roll back
   * @throws KonveierError `transaction_unusable`
   */
  (connection: SqliteConnection): { readonly complete: (result?: unknown) => void };
  (client: PostgresClient): { readonly complete: (result?: unknown) => Promise<void> };
}

/** The handler has completed its job in a transaction, and that was not committed. */
export class NotCommittedError extends Error {
  override readonly name = "NotCommittedError";

  constructor() {
    super("The transaction that completed the job was not committed");
  }
}

/** Goes on with an answer that is there or comes later. */
export function andThen<T, U>(answer: MaybePromise<T>, next: (value: T) => U): MaybePromise<U> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}
