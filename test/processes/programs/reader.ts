/** Another program that reads the database: keeps one snapshot, or opens and closes the file again and again. */
import Database from "better-sqlite3";
import { input, leave, onCommand, tell } from "./parent.js";

export interface ReaderInput {
  readonly file: string;
  /** How often to open it; `null`: keep a snapshot until the command comes. */
  readonly openings: number | null;
}

export interface ReaderMessage {
  readonly type: "reading" | "released";
}

export interface ReaderCommand {
  readonly type: "release";
}

const { file, openings } = input() as ReaderInput;
if (openings === null) {
  const db = new Database(file, { readonly: true });
  db.exec("BEGIN");
  count(db);
  onCommand(() => {
    db.close();
    tell({ type: "released" });
    leave();
  });
  tell({ type: "reading" });
} else {
  tell({ type: "reading" });
  for (let opening = 0; opening < openings; opening += 1) {
    const db = new Database(file);
    count(db);
    db.close();
  }
  leave();
}

function count(db: Database.Database): void {
  db.prepare("SELECT count(*) FROM jobs").get();
}
