import { readFile } from "node:fs/promises";
import { findInexactNumber } from "../../core/payload.js";
import { CommandError } from "../command-error.js";
import { EXIT } from "../exit-codes.js";

/** The text of a file, or of stdin for `-`. @throws CommandError */
export async function readText(file: string): Promise<string> {
  try {
    return file === "-" ? await textOfStdin() : await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, EXIT.usage, {
      cause: error,
    });
  }
}

async function textOfStdin(): Promise<string> {
  let text = "";
  for await (const part of process.stdin.setEncoding("utf8")) text += part as string;
  return text;
}

/** What editors and exports of Windows put in front of UTF-8; it says nothing. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/**
 * What JSON text means. A number that would silently become another one is refused here, as the server would refuse it.
 *
 * @param what names the text in the error
 * @throws CommandError
 */
export function parseJson(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch (error) {
    throw new CommandError(`${what} is not JSON: ${(error as Error).message}`, EXIT.usage, { cause: error });
  }
  const number = findInexactNumber(text);
  if (number === null) return value;
  throw new CommandError(
    `${what} holds the number ${number.slice(0, 40)}, which would change: JSON numbers are doubles here. Send it as a string.`,
    EXIT.usage,
  );
}

export interface PayloadFlags {
  readonly payload?: string;
  readonly payloadFile?: string;
}

/** The payload that the options give; `undefined` when they give none. @throws CommandError */
export async function payloadOf({ payload, payloadFile }: PayloadFlags): Promise<unknown> {
  if (payload !== undefined && payloadFile !== undefined) {
    throw new CommandError("--payload and --payload-file exclude each other", EXIT.usage);
  }
  if (payload !== undefined) return parseJson(payload, "--payload");
  return payloadFile === undefined ? undefined : parseJson(await readText(payloadFile), payloadFile);
}
