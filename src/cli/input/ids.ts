import { isJobId } from "../../core/job-query/values.js";
import { CommandError } from "../command-error.js";
import { EXIT } from "../exit-codes.js";
import { quoted } from "../settings.js";
import { readText } from "./json-text.js";

/**
 * The ids of the command line; `-` stands for those on stdin, with blanks or line ends between them. None on stdin is
 * no mistake: it may be the list of what matches a filter.
 */
export async function idsOf(given: readonly string[]): Promise<readonly string[]> {
  const piped = given.includes("-") ? (await readText("-")).split(/\s+/).filter((text) => text !== "") : [];
  const ids = [...new Set([...given.filter((id) => id !== "-"), ...piped])];
  if (ids.length === 0) console.error("konveier: there are no ids on stdin, so there is nothing to do");
  return ids;
}

/** @throws CommandError */
export function requireId(of: "job" | "flow", id: string): void {
  // Both count from 1.
  if (isJobId(id)) return;
  throw new CommandError(`${quoted(id)} is no id of a ${of}: ids are whole numbers from 1`, EXIT.usage);
}
