import { DEFAULT_DATABASE_URL } from "./config.js";

/** The database that a command means: its flag, `DATABASE_URL`, or the default, as for `konveier serve`. */
export function databaseUrlOf(flag: string | undefined): string {
  const variable = process.env["DATABASE_URL"];
  if (flag !== undefined) return flag;
  return variable === undefined || variable === "" ? DEFAULT_DATABASE_URL : variable;
}
