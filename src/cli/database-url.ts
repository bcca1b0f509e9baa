import { KonveierError } from "../core/errors.js";
import { databaseAddress, type DatabaseAddress } from "../database-address.js";
import { CommandError } from "./command-error.js";
import { DEFAULT_DATABASE_URL } from "./config.js";
import { EXIT } from "./exit-codes.js";

/**
 * The database that a command means: its flag, `DATABASE_URL`, or the default, as for `konveier serve`.
 *
 * @throws CommandError with code 78, as `konveier serve` ends
 */
export function databaseUrlOf(flag: string | undefined): string {
  const variable = process.env["DATABASE_URL"];
  const url = flag ?? (variable === undefined || variable === "" ? DEFAULT_DATABASE_URL : variable);
  databaseAddressOf(url);
  return url;
}

/** @throws CommandError with code 78, as `konveier serve` ends */
export function databaseAddressOf(url: string): DatabaseAddress {
  try {
    return databaseAddress(url);
  } catch (error) {
    if (!(error instanceof KonveierError)) throw error;
    throw new CommandError(error.message, EXIT.configuration, { cause: error });
  }
}
