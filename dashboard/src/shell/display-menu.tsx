import type { ReactNode } from "react";
import {
  Button,
  Header,
  type Key,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
} from "react-aria-components";
import { send } from "../api/request.js";
import { LANGUAGES, type Language } from "../i18n/message.js";
import { useTexts } from "../i18n/text.js";
import { Icon } from "../ui/icon.js";
import { setPreference, THEMES, usePreferences, type Theme } from "./preferences.js";
import { signedOut } from "./session.js";

export const LANGUAGE_NAMES = { en: "English", ru: "Русский" } as const;

/** Theme, language, time zone, and the way out. */
export function DisplayMenu(): ReactNode {
  const { t } = useTexts();
  const { theme, language, zone } = usePreferences();
  return (
    <MenuTrigger>
      <Button className="button quiet icon" aria-label={t("display.title")}>
        <Icon name="settings" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label={t("display.title")}>
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[theme]}
            onSelectionChange={choose("theme")}
          >
            <Header className="menu-header">{t("display.theme")}</Header>
            {THEMES.map((name) => (
              <Choice key={name} id={name} chosen={name === theme} text={t(`display.theme.${name}`)} />
            ))}
          </MenuSection>
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[language]}
            onSelectionChange={choose("language")}
          >
            <Header className="menu-header">{t("display.language")}</Header>
            {LANGUAGES.map((name) => (
              <Choice key={name} id={name} chosen={name === language} text={LANGUAGE_NAMES[name]} />
            ))}
          </MenuSection>
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[zone]}
            onSelectionChange={choose("zone")}
          >
            <Header className="menu-header">{t("display.zone")}</Header>
            <Choice
              id="local"
              chosen={zone === "local"}
              text={t("display.zone.local", { zone: localZone() })}
            />
            <Choice id="UTC" chosen={zone === "UTC"} text="UTC" />
            {zone !== "local" && zone !== "UTC" && <Choice id={zone} chosen text={zone} />}
          </MenuSection>
          <MenuSection>
            <MenuItem
              className="menu-item"
              textValue={t("signIn.out")}
              onAction={() => {
                void send("/v1/session", { method: "DELETE" }).then(signedOut, signedOut);
              }}
            >
              {t("signIn.out")}
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** What the menu tells of a choice; with one choice a section, it is always one key. */
function choose(name: "theme" | "language" | "zone"): (keys: "all" | ReadonlySet<Key>) => void {
  return (keys) => {
    for (const key of keys === "all" ? [] : keys) setPreference(name, String(key) as Theme & Language);
  };
}

function Choice({
  id,
  chosen,
  text,
}: {
  readonly id: string;
  readonly chosen: boolean;
  readonly text: string;
}) {
  return (
    <MenuItem id={id} className="menu-item" textValue={text}>
      <span className="menu-mark">{chosen && <Icon name="check" />}</span>
      {text}
    </MenuItem>
  );
}

export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
