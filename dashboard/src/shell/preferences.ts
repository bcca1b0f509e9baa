import { useSyncExternalStore } from "react";
import { LANGUAGES, type Language } from "../i18n/message.js";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** How this browser shows things. Kept in its local storage; nothing of it is sent to the server. */
export interface Preferences {
  readonly theme: Theme;
  readonly language: Language;
  /** `local`, or the name of a time zone such as `UTC`. */
  readonly zone: string;
  /** Whether single letters are shortcuts. */
  readonly shortcuts: boolean;
}

const PREFIX = "konveier.";

/** What a stored text means; what is not known here counts as none. */
const READ: { readonly [Name in keyof Preferences]: (text: string | null) => Preferences[Name] } = {
  theme: (text) => oneOf(THEMES, text) ?? "system",
  language: (text) => oneOf(LANGUAGES, text) ?? languageOfBrowser(),
  zone: (text) => text ?? "local",
  shortcuts: (text) => text !== "false",
};

const listeners = new Set<() => void>();
let preferences = load();
// The other tabs are told what one of them has stored.
addEventListener("storage", ({ key, newValue }) => {
  const name = (Object.keys(READ) as (keyof Preferences)[]).find((each) => PREFIX + each === key);
  if (name !== undefined) change(name, READ[name](newValue));
});

export function preferencesNow(): Preferences {
  return preferences;
}

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  change(name, value);
  try {
    localStorage.setItem(PREFIX + name, String(value));
  } catch {
    // Where storage is forbidden, it holds for this page.
  }
}

function change<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  preferences = { ...preferences, [name]: value };
  if (name === "theme") showTheme();
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferencesNow);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function showTheme(): void {
  const { theme } = preferences;
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

function load(): Preferences {
  // The language of a link goes first, so that a page can be shown to somebody in theirs.
  const asked = new URLSearchParams(location.search).get("lang");
  return {
    theme: READ.theme(stored("theme")),
    language: oneOf(LANGUAGES, asked) ?? READ.language(stored("language")),
    zone: READ.zone(stored("zone")),
    shortcuts: READ.shortcuts(stored("shortcuts")),
  };
}

function stored(name: keyof Preferences): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

function oneOf<Value extends string>(values: readonly Value[], text: string | null): Value | null {
  return values.find((value) => value === text) ?? null;
}

function languageOfBrowser(): Language {
  const known = navigator.languages.map((language) => oneOf(LANGUAGES, language.slice(0, 2)));
  return known.find((language) => language !== null) ?? "en";
}
