import type { ReactNode } from "react";
import { send } from "../api/request.js";
import { LANGUAGES } from "../i18n/message.js";
import { useTexts } from "../i18n/text.js";
import { Icon } from "../ui/icon.js";
import { MenuButton, MenuChoice, MenuGroup, MenuItem } from "../ui/menu.js";
import { useProblemText } from "../ui/problem-note.js";
import { toast } from "../ui/toasts.js";
import { setPreference, THEMES, usePreferences, type Preferences } from "./preferences.js";
import { isSignedIn, left } from "./session.js";

export const LANGUAGE_NAMES = { en: "English", ru: "Русский" } as const;

/** Theme, language, time zone, and the way out. */
export function DisplayMenu(): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  const { theme, language, zone } = usePreferences();
  return (
    <MenuButton label={t("display.title")} face={<Icon name="settings" />} className="button quiet icon">
      <MenuGroup title={t("display.theme")}>
        {THEMES.map((name) => (
          <Choice key={name} of="theme" value={name} chosen={theme} text={t(`display.theme.${name}`)} />
        ))}
      </MenuGroup>
      <MenuGroup title={t("display.language")}>
        {LANGUAGES.map((name) => (
          <Choice key={name} of="language" value={name} chosen={language} text={LANGUAGE_NAMES[name]} />
        ))}
      </MenuGroup>
      <MenuGroup title={t("display.zone")}>
        <Choice of="zone" value="local" chosen={zone} text={t("display.zone.local", { zone: localZone() })} />
        <Choice of="zone" value="UTC" chosen={zone} text="UTC" />
        {zone !== "local" && zone !== "UTC" && <Choice of="zone" value={zone} chosen={zone} text={zone} />}
      </MenuGroup>
      <MenuItem
        onChoose={() => {
          send("/v1/session", { method: "DELETE" }).then(left, (error: unknown) => {
            // The cookie may still be good: who leaves the machine now must know.
            if (isSignedIn()) toast(t("signIn.outFailed", { problem: problemText(error) }), "bad");
          });
        }}
      >
        {t("signIn.out")}
      </MenuItem>
    </MenuButton>
  );
}

function Choice<Name extends "theme" | "language" | "zone">({
  of,
  value,
  chosen,
  text,
}: {
  readonly of: Name;
  readonly value: Preferences[Name];
  readonly chosen: Preferences[Name];
  readonly text: string;
}): ReactNode {
  return (
    <MenuChoice
      kind="radio"
      chosen={value === chosen}
      onChoose={() => {
        setPreference(of, value);
      }}
    >
      {text}
    </MenuChoice>
  );
}

export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
