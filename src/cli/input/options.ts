import { InvalidArgumentError } from "commander";

/** For an option that holds a whole number. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** For an option that may be repeated, or hold several values with commas between them. */
export function listOption(text: string, before: readonly string[] | undefined): readonly string[] {
  const entries = text.split(",").filter((entry) => entry !== "");
  if (entries.length === 0) throw new InvalidArgumentError("It is empty.");
  return [...(before ?? []), ...entries];
}

/** For an option that may be repeated and whose values may hold commas. */
export function repeatedOption(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** For an option that takes something away with `none`, else as `read` reads it. Not `null`: commander makes "" of that. */
export function orNone<T>(read: (text: string) => T): (text: string) => T | "none" {
  return (text) => (text === "none" ? text : read(text));
}

export function nullIfNone<T>(value: T | "none" | undefined): T | null | undefined {
  return value === "none" ? null : value;
}
