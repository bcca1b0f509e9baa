import { readFileSync } from "node:fs";
import { KonveierClient } from "../client/client.js";
import { API_TOKEN_RULE, isApiToken } from "./api-token.js";
import { CommandError } from "./command-error.js";
import { EXIT } from "./exit-codes.js";
import { Output } from "./output/output.js";
import { standardOutput } from "./output/terminal.js";
import type { RemoteFlags } from "./remote-flags.js";
import { quoted, Settings, type Secret } from "./settings.js";

const DEFAULT_URL = "http://localhost:8085";
/** Somebody waits: tell soon what is wrong. */
const MAX_TRIES = 3;

export interface Session {
  readonly client: KonveierClient;
  readonly output: Output;
}

/** A client and an output as the options and the environment say. @throws CommandError */
export function connect(flags: RemoteFlags): Session {
  return { client: clientOf(flags, process.env), output: outputOf(flags) };
}

export function outputOf({ output }: Pick<RemoteFlags, "output">): Output {
  return new Output(output, standardOutput(process.env));
}

/** @throws CommandError with code 78 */
export function clientOf(
  flags: Pick<RemoteFlags, "url" | "tokenFile">,
  env: Readonly<Record<string, string | undefined>>,
  maxTries = MAX_TRIES,
): KonveierClient {
  const settings = new Settings({ env, flags: new Map(), readFile: (path) => readFileSync(path, "utf8") });
  const url = urlOf(flags.url ?? settings.text("KONVEIER_URL") ?? DEFAULT_URL);
  return new KonveierClient({ url, token: tokenOf(flags.tokenFile, settings), maxTries });
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // fetch refuses names and passwords in addresses, and the paths of the API come behind this one.
  const usable =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    !/[?#]/.test(text);
  if (usable) return text;
  const said =
    url === null || url.username + url.password === ""
      ? `${quoted(withoutPassword(text))} is no address of a server`
      : "the address of the server may hold no name and no password";
  throw new CommandError(`${said}, such as ${DEFAULT_URL}`, EXIT.configuration);
}

/** Also of what is no URL: all before the last @ may be one. */
function withoutPassword(text: string): string {
  return text.replace(/^.*@/s, "…@");
}

function tokenOf(file: string | undefined, settings: Settings): string {
  const secret =
    file === undefined ? (settings.secret("KONVEIER_TOKEN") ?? settings.secret("API_TOKEN")) : tokenIn(file);
  const [fault] = settings.faults;
  if (fault !== undefined) throw new CommandError(`${fault.setting} ${fault.problem}`, EXIT.configuration);
  if (secret === undefined) {
    throw new CommandError(
      "there is no token. Set KONVEIER_TOKEN, or name a file that holds it with --token-file, such as data/api-token beside the server's database",
      EXIT.configuration,
    );
  }
  if (isApiToken(secret.value)) return secret.value;
  throw new CommandError(`the token ${API_TOKEN_RULE}`, EXIT.configuration);
}

function tokenIn(file: string): Secret {
  try {
    return { value: readFileSync(file, "utf8").trim(), file };
  } catch (error) {
    throw new CommandError(`--token-file cannot be read: ${(error as Error).message}`, EXIT.configuration, {
      cause: error,
    });
  }
}
