/** Where the output of a command goes. */
export interface Terminal {
  /** Whether a person looks at it. */
  readonly interactive: boolean;
  readonly columns: number;
  readonly colours: boolean;
  write(text: string): void;
}

const DEFAULT_COLUMNS = 120;

export function standardOutput(env: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdout } = process;
  const interactive = stdout.isTTY;
  const asked = Number(env["COLUMNS"] ?? Number.NaN);
  return {
    interactive,
    columns: interactive ? stdout.columns : asked > 0 ? asked : DEFAULT_COLUMNS,
    colours: interactive && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
    write: (text) => {
      stdout.write(text);
    },
  };
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};
export type Style = keyof typeof CODES;

export function styled(text: string, style: Style | null): string {
  if (style === null) return text;
  const [on = 0, off = 0] = CODES[style];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}
