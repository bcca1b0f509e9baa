export const LANGUAGES = ["en", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text, or one text for each plural form of `{count}`. `{name}` is where a value goes. */
export type Message = string | Plural;
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** Russian has four forms, and a counted message must have them all. */
type RussianPlural = Readonly<Record<"one" | "few" | "many" | "other", string>>;

type Translation<English> = {
  readonly [Key in keyof English]: English[Key] extends string ? string : RussianPlural;
};

export interface Messages<English extends Readonly<Record<string, Message>>> {
  readonly en: English;
  readonly ru: Translation<English>;
}

/** The messages of one part of the dashboard, in all languages: what lacks a translation does not compile. */
export function messages<const English extends Readonly<Record<string, Message>>>(
  all: Messages<English>,
): Messages<English> {
  return all;
}

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

/** The names of the values that a message needs. */
export type ValuesOf<Text> = Text extends string
  ? Names<Text>
  : Text extends Plural
    ? "count" | Names<Text["other"]>
    : never;

/** The parts of a text: what stands there, and the names of what goes in. */
export function partsOf(text: string): readonly { readonly text: string; readonly isName: boolean }[] {
  return text
    .split(/\{(\w+)\}/)
    .map((part, index) => ({ text: part, isName: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}

/** The form of a message that belongs to a number. */
export function formOf(message: Message, count: number, rules: Intl.PluralRules): string {
  return typeof message === "string" ? message : (message[rules.select(count)] ?? message.other);
}
