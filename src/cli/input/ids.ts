import { CommandError } from "../command-error.js";
import { EXIT } from "../exit-codes.js";
import { readText } from "./json-text.js";

/** The ids of the command line; `-` stands for those on stdin, with blanks or line ends between them. */
export async function idsOf(given: readonly string[]): Promise<readonly string[]> {
  const piped = given.includes("-") ? (await readText("-")).split(/\s+/).filter((text) => text !== "") : [];
  const ids = [...new Set([...given.filter((id) => id !== "-"), ...piped])];
  if (ids.length === 0) throw new CommandError("no ids were given", EXIT.usage);
  return ids;
}
