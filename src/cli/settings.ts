import { nearestName } from "../core/nearest-name.js";

/** One setting that cannot be used, and why. */
export interface SettingFault {
  /** Its variable or flag. */
  readonly setting: string;
  readonly problem: string;
}

/** A value from the command line, which wins over the variable of the same meaning. */
export interface Flag {
  readonly flag: string;
  readonly value: string;
}

export interface Secret {
  readonly value: string;
  /** Where it came from; `null` when it stood in the variable itself. */
  readonly file: string | null;
}

export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By the name of the variable. */
  readonly flags: ReadonlyMap<string, Flag>;
  readonly readFile: (path: string) => string;
}

const PREFIX = "KONVEIER_";
const YES = new Set(["1", "true", "yes", "on"]);
const NO = new Set(["0", "false", "no", "off"]);

/**
 * Reads settings by name. A value that cannot be used is noted as a fault and read as if it were not
 * set, so that one start shows every fault.
 */
export class Settings {
  readonly faults: SettingFault[] = [];
  readonly #known = new Set<string>();

  constructor(private readonly sources: SettingSources) {}

  /** Where a setting's value comes from. */
  sourceOf(name: string): "default" | "environment" | "flag" | "file" {
    if (this.sources.flags.has(name)) return "flag";
    if (this.#variable(name) !== undefined) return "environment";
    const file = `${name}_FILE`;
    return this.#known.has(file) && this.#variable(file) !== undefined ? "file" : "default";
  }

  text(name: string): string | undefined {
    this.#known.add(name);
    const flag = this.sources.flags.get(name);
    return flag === undefined ? this.#variable(name) : flag.value;
  }

  /** A text that `read` makes something of. What `read` throws is the fault. */
  parsed<T>(name: string, read: (text: string) => T): T | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : this.read(name, text, read);
  }

  /** As `parsed`, for a text that was found already. */
  read<T>(name: string, text: string, read: (text: string) => T): T | undefined {
    try {
      return read(text);
    } catch (error) {
      this.fault(name, (error as Error).message);
      return undefined;
    }
  }

  wholeNumber(name: string, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    // Strict: Number("") is 0 and Number("0x10") is 16.
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.fault(name, `must be a whole number from ${min} to ${max}, not ${quoted(text)}`);
    return undefined;
  }

  /** Milliseconds or a count; `null` for the word `never` or `unlimited`. */
  wholeNumberOr(word: string, name: string, max: number): number | null | undefined {
    const text = this.text(name);
    if (text === word) return null;
    if (text === undefined || /^\d{1,16}$/.test(text)) return this.wholeNumber(name, 0, max);
    this.fault(name, `must be a whole number from 0 to ${max}, or ${word}, not ${quoted(text)}`);
    return undefined;
  }

  choice<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = values.find((known) => known === text.toLowerCase());
    if (value === undefined) this.fault(name, `must be ${orList(values)}, not ${quoted(text)}`);
    return value;
  }

  yesOrNo(name: string): boolean | undefined {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined) return undefined;
    if (YES.has(text)) return true;
    if (!NO.has(text)) this.fault(name, `must be 1 or 0, not ${quoted(text)}`);
    return false;
  }

  /** Separated by commas or blanks. `problemOf` says what is wrong with an entry, `null` when nothing is. */
  list(name: string, problemOf: (entry: string) => string | null): readonly string[] | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : this.entries(name, text, problemOf);
  }

  /** As `list`, for a text that has been read already. */
  entries(name: string, text: string, problemOf: (entry: string) => string | null): readonly string[] {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
    const problems = entries.length === 0 ? ["is an empty list"] : entries.map(problemOf);
    for (const problem of new Set(problems)) if (problem !== null) this.fault(name, problem);
    return entries;
  }

  /**
   * A secret, from the variable or from the file that `<name>_FILE` names. One that is set but empty is a
   * fault: it would mean no protection where somebody asked for it.
   */
  secret(name: string): Secret | undefined {
    const fileName = `${name}_FILE`;
    this.#known.add(name).add(fileName);
    const { env } = this.sources;
    const direct = env[name];
    const file = this.#variable(fileName);
    if (direct !== undefined && file !== undefined) {
      this.fault(fileName, `excludes ${name}; set only one of them`);
      return undefined;
    }
    if (file === undefined) {
      if (direct === "") this.fault(name, "is empty; give it a value or do not set it");
      return direct === undefined || direct === "" ? undefined : { value: direct, file: null };
    }
    const value = this.#content(fileName, file);
    return value === undefined ? undefined : { value, file };
  }

  /** A text that a secret may be part of: it may stand in the file that `<name>_FILE` names instead. */
  textOrFile(name: string): string | undefined {
    const fileName = `${name}_FILE`;
    this.#known.add(fileName);
    const text = this.text(name);
    const file = this.#variable(fileName);
    if (file === undefined || this.sources.flags.has(name)) return text;
    if (text === undefined) return this.#content(fileName, file);
    this.fault(fileName, `excludes ${name}; set only one of them`);
    return undefined;
  }

  #content(fileName: string, file: string): string | undefined {
    try {
      const value = this.sources.readFile(file).trim();
      if (value !== "") return value;
      this.fault(fileName, `names an empty file: ${file}`);
    } catch (error) {
      this.fault(fileName, `cannot be read: ${(error as Error).message}`);
    }
    return undefined;
  }

  /** Empty counts as not set: that is how compose files and shells pass on what they do not have. */
  #variable(name: string): string | undefined {
    const value = this.sources.env[name];
    return value === "" ? undefined : value;
  }

  fault(name: string, problem: string): void {
    this.faults.push({ setting: this.sources.flags.get(name)?.flag ?? name, problem });
  }

  /** Variables that look like ours and that nothing has asked for: most likely slips. */
  unknown(): readonly { readonly name: string; readonly nearest: string | null }[] {
    return Object.keys(this.sources.env)
      .filter((name) => name.startsWith(PREFIX) && !this.#known.has(name))
      .map((name) => ({ name, nearest: nearestName(name, [...this.#known]) }));
  }
}

function orList(values: readonly string[]): string {
  return `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`;
}

/** Cut, and without what would move the cursor of a terminal. */
export function quoted(text: string): string {
  const cut = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return JSON.stringify(cut).replaceAll(/[\x7f-\x9f]/g, "\ufffd");
}
