import { createContext, Fragment, useContext, useEffect, useMemo, type ReactNode } from "react";
import { usePreferences } from "../shell/preferences.js";
import { catalogue, type MessageKey, type Values } from "./catalogue.js";
import { durationParts, Formats, roughDuration, sizeIn } from "./format.js";
import { visible } from "../ui/visible.js";
import { formOf, partsOf, type Language } from "./message.js";

/** Values of a message; `count` decides the plural form, and is shown as the language writes numbers. */
type Given<Key extends MessageKey, Value> = [Values<Key>] extends [never]
  ? []
  : [values: Readonly<Record<Values<Key>, Value>>];

/** Everything that depends on the language and the time zone. */
export class Texts {
  readonly format: Formats;

  constructor(
    readonly language: Language,
    readonly zone: string,
  ) {
    this.format = new Formats(language, zone);
  }

  /** A message as text. */
  readonly t = <Key extends MessageKey>(key: Key, ...given: Given<Key, string | number>): string => {
    const values = given[0] as Readonly<Record<string, string | number>> | undefined;
    return this.#parts(key, values)
      .map(({ text, isName }) => (isName ? this.#shown(values?.[text]) : text))
      .join("");
  };

  /** A message with elements in it, such as links. */
  readonly rich = <Key extends MessageKey>(key: Key, ...given: Given<Key, ReactNode>): ReactNode => {
    const values = given[0] as Readonly<Record<string, ReactNode>> | undefined;
    return this.#parts(key, values).map(({ text, isName }, index) => {
      const value = isName ? values?.[text] : text;
      const isPlain = isName && (typeof value === "number" || typeof value === "string");
      return <Fragment key={index}>{isPlain ? this.#shown(value) : value}</Fragment>;
    });
  };

  /** Whether there is a message of this key, for keys that are made of codes. */
  readonly has = (key: string): key is MessageKey => key in catalogue[this.language];

  /** `3 min 05 s`. */
  readonly duration = (ms: number): string => {
    return durationParts(ms)
      .map(({ n, unit }) => this.t(`unit.${unit}`, { n: this.#decimalPoint(n) }))
      .join(" ");
  };

  /** `3 min`. */
  readonly roughly = (ms: number): string => {
    const { n, unit } = roughDuration(ms);
    return this.t(`unit.${unit}`, { n });
  };

  /** A round duration, as on the axis of a chart: `500 ms`, `30 s`. */
  readonly briefly = (ms: number): string =>
    ms < 1_000 ? this.t("unit.ms", { n: this.format.decimal(ms) }) : this.roughly(ms);

  /** How long before or after now: `3 min ago`, `in 5 min`. What just happened never lies in the future. */
  readonly relative = (at: number, now: number): string => this.#fromNow(at - now, "time.now");

  /** The same of what is to happen. */
  readonly untilDue = (at: number, now: number): string => this.#fromNow(at - now, "time.soon");

  #fromNow(ahead: number, near: "time.now" | "time.soon"): string {
    if (Math.abs(ahead) < 2_000) return this.t(near);
    const duration = this.roughly(Math.abs(ahead));
    return ahead > 0 ? this.t("time.in", { duration }) : this.t("time.ago", { duration });
  }

  readonly size = (bytes: number): string => {
    const { n, unit } = sizeIn(bytes);
    return this.t(`unit.${unit}`, { n: this.format.decimal(n) });
  };

  #parts(key: MessageKey, values: Readonly<Record<string, unknown>> | undefined) {
    const count = values?.["count"];
    return partsOf(
      formOf(catalogue[this.language][key], typeof count === "number" ? count : 0, this.format.plural),
    );
  }

  /** A value may be what somebody else wrote. */
  #shown(value: string | number | undefined): string {
    return typeof value === "number" ? this.format.number(value) : visible(value ?? "");
  }

  #decimalPoint(n: string): string {
    return this.language === "ru" ? n.replace(".", ",") : n;
  }
}

const TextsContext = createContext(new Texts("en", "UTC"));

export function TextProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { language, zone } = usePreferences();
  const texts = useMemo(() => new Texts(language, zone), [language, zone]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return <TextsContext value={texts}>{children}</TextsContext>;
}

export function useTexts(): Texts {
  return useContext(TextsContext);
}
