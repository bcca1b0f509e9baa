import { KonveierError } from "../core/errors.js";
import { sqliteFile } from "../open-store.js";
import { CommandError } from "./command-error.js";
import { DEFAULT_DATABASE_URL } from "./config.js";
import { EXIT } from "./exit-codes.js";

/** The database that a command means: its flag, `DATABASE_URL`, or the default, as for `konveier serve`. */
export function databaseUrlOf(flag: string | undefined): string {
  const variable = process.env["DATABASE_URL"];
  if (flag !== undefined) return flag;
  return variable === undefined || variable === "" ? DEFAULT_DATABASE_URL : variable;
}

/** The file of a database that a flag names, or `:memory:`. @throws CommandError with code 78, as `konveier serve` ends */
export function databaseFileOf(url: string): string {
  try {
    return sqliteFile(url);
  } catch (error) {
    if (!(error instanceof KonveierError)) throw error;
    throw new CommandError(error.message, EXIT.configuration, { cause: error });
  }
}
