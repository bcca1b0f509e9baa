import { MAX_ERROR_MESSAGE_LENGTH } from "./defaults.js";
import { storableText } from "./storable-text.js";

/** Long enough to tell errors apart, short enough for a list. */
const MAX_MASKED_LENGTH = 1_024;

/** A single quote inside a word is an apostrophe. */
const QUOTED = /"[^"]*"|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])|“[^“”]*”|‘[^‘’]*’|«[^«»]*»/gu;
const URL_TEXT = /(?<![a-z\d+.-])([a-z][a-z\d+.-]{0,20}:\/\/)([^\s/?#"'<>`,;()]+)([^\s"'<>`,;()]*)/gi;
/** Starts only where a run of such characters starts: otherwise a long run would be tried from each of its places. */
const EMAIL = /(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
const UUID = /(?<![\da-z])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/gi;
const TIME =
  /(?<!\d)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)|(?<![\d:])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d:])/g;
const IP =
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]\d)|(?<![\w:])(?=[\da-f:]*\d)(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:])/gi;
/** Relative ones begin with a point: `and/or` and `text/html` are no paths. */
const PATH = /(?<![\p{L}\p{N}_.:/>~-])(?:[A-Za-z]:[\\/]|\\\\|~\/|\.{1,2}\/|\/)[^\s:,;()[\]{}"'`<>]+/gu;
/** A number with its unit, or a word that may hold digits. */
const NUMBER_OR_WORD =
  /(?<![\p{L}\p{N}])[-+]?(?![\da-f]{8,}(?![\p{L}\p{N}]))\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(\p{L}{0,3})(?![\p{L}\p{N}])|[\p{L}\p{N}]+/giu;

/**
 * A message without what varies between errors of one kind: numbers, ids, UUIDs, addresses, paths, times, and all
 * that is quoted. For example `connect to <ip>:<n> refused`. An id of letters only cannot be told from a word and
 * stays. Takes time in proportion to the message; of a long one, only the beginning counts.
 */
export function maskVarying(message: string): string {
  const masked = message
    .slice(0, MAX_ERROR_MESSAGE_LENGTH)
    .replace(QUOTED, "<text>")
    .replace(URL_TEXT, (_, scheme: string, host: string, rest: string) => maskUrl(scheme, host, rest))
    .replace(EMAIL, "<email>")
    .replace(UUID, "<uuid>")
    .replace(TIME, "<time>")
    .replace(IP, "<ip>")
    .replace(PATH, "<path>")
    .replace(NUMBER_OR_WORD, (word: string, unit: string | undefined) =>
      unit === undefined ? maskWord(word) : `<n>${unit}`,
    )
    .replace(/\s+/g, " ")
    .trim();
  return storableText(masked, MAX_MASKED_LENGTH);
}

/** The host tells services apart. User names, paths and queries vary, and may be secrets. */
function maskUrl(scheme: string, host: string, rest: string): string {
  const name = host.slice(host.lastIndexOf("@") + 1);
  return scheme + name + (rest === "" || rest === "/" ? "" : "/<path>");
}

/** A word of letters and digits is an id, except where it is a name with a number behind it, such as `utf8`. */
function maskWord(word: string): string {
  if (/^[\da-f]{8,}$/i.test(word)) return "<n>";
  if (!/\p{N}/u.test(word)) return word;
  const [, name] = /^(\p{L}{1,10})\p{N}{1,5}$/u.exec(word) ?? [];
  return name === undefined ? "<n>" : `${name}<n>`;
}
