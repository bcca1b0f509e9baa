/** Opens a new database and kills its own process after one of the calls that SQLite gets meanwhile. */
import { appendFileSync } from "node:fs";
import Database from "better-sqlite3";
import { openSqliteStore } from "../../../src/store/sqlite/open.js";

export interface CrashOpeningInput {
  readonly file: string;
  /** Gets a line for each call. */
  readonly journal: string;
  /** After how many calls; 0 for never. */
  readonly crashAfter: number;
}

const { file, journal, crashAfter } = JSON.parse(process.argv[2] ?? "") as CrashOpeningInput;
let calls = 0;

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with `call` below
const { exec, pragma } = Database.prototype;
Database.prototype.exec = function (this: Database.Database, source: string) {
  // A migration has many statements: between each two of them is a point of its own.
  for (const statement of source.split(/(?<=;)\n/)) {
    exec.call(this, statement);
    called(statement);
  }
  return this;
};
Database.prototype.pragma = function (this: Database.Database, source: string, options) {
  const answer: unknown = pragma.call(this, source, options);
  called(source);
  return answer;
};

const store = openSqliteStore(file);
await store.close();

function called(what: string): void {
  calls += 1;
  appendFileSync(journal, `${JSON.stringify(what)}\n`);
  if (calls === crashAfter) process.kill(process.pid, "SIGKILL");
}
