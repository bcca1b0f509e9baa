import { useState, type ReactNode } from "react";
import { LANGUAGES } from "../../i18n/message.js";
import { useTexts } from "../../i18n/text.js";
import { isZone, zoneTime } from "../../i18n/zone-time.js";
import { useServerNow } from "../../live/clock.js";
import { LANGUAGE_NAMES, localZone } from "../../shell/display-menu.js";
import { setPreference, THEMES, usePreferences } from "../../shell/preferences.js";
import { showShortcuts } from "../../shell/shortcut-list.js";
import { Field } from "../../ui/field.js";
import { ZoneInput } from "../../ui/zone-input.js";

/** How this browser shows things. */
export function DisplayTab(): ReactNode {
  const { t } = useTexts();
  const { theme, language } = usePreferences();
  return (
    <section className="card card-body stack" aria-label={t("settings.tab.display")}>
      <p className="muted">{t("display.lead")}</p>
      <div className="columns">
        <Choices
          legend={t("display.theme")}
          name="theme"
          choices={THEMES.map((value) => ({ value, text: t(`display.theme.${value}`) }))}
          chosen={theme}
          onChange={(value) => {
            setPreference("theme", value);
          }}
        />
        <Choices
          legend={t("display.language")}
          name="language"
          choices={LANGUAGES.map((value) => ({ value, text: LANGUAGE_NAMES[value] }))}
          chosen={language}
          onChange={(value) => {
            setPreference("language", value);
          }}
        />
        <ZoneChoice />
        <ShortcutChoice />
      </div>
    </section>
  );
}

function Choices<Value extends string>({
  legend,
  name,
  choices,
  chosen,
  onChange,
}: {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly { readonly value: Value; readonly text: string }[];
  readonly chosen: Value;
  readonly onChange: (value: Value) => void;
}): ReactNode {
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {choices.map(({ value, text }) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => {
              onChange(value);
            }}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** What is typed becomes the zone as soon as there is one of that name. */
function ZoneChoice(): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const { zone } = usePreferences();
  const isNamed = zone !== "local" && zone !== "UTC";
  const [other, setOther] = useState(isNamed);
  const [name, setName] = useState(isNamed ? zone : "");
  const now = useServerNow();
  const isWrong = name !== "" && !isZone(name);
  return (
    <div className="stack">
      <Choices
        legend={t("display.zone")}
        name="zone"
        choices={[
          { value: "local", text: t("display.zone.own", { zone: localZone() }) },
          { value: "UTC", text: t("display.zone.utc") },
          { value: "other", text: t("display.zone.other") },
        ]}
        chosen={other || isNamed ? "other" : zone}
        onChange={(value) => {
          setOther(value === "other");
          if (value !== "other") setPreference("zone", value);
        }}
      />
      {(other || isNamed) && (
        <Field
          label={t("display.zone.name")}
          fault={isWrong ? t("display.zone.wrong") : undefined}
          hint={t("display.zone.now", {
            time: zoneTime(texts.language, zone)?.full(now - (now % 60_000)) ?? "",
          })}
        >
          {(control) => (
            <ZoneInput
              {...control}
              value={name}
              onChange={(value) => {
                setName(value);
                if (isZone(value.trim())) setPreference("zone", value.trim());
              }}
            />
          )}
        </Field>
      )}
    </div>
  );
}

function ShortcutChoice(): ReactNode {
  const { t } = useTexts();
  const { shortcuts } = usePreferences();
  return (
    <fieldset className="choices">
      <legend>{t("display.shortcuts")}</legend>
      <label className="choice">
        <input
          type="checkbox"
          checked={shortcuts}
          onChange={({ target }) => {
            setPreference("shortcuts", target.checked);
          }}
        />
        {t("display.shortcuts.on")}
      </label>
      <div>
        <button type="button" className="button" onClick={showShortcuts}>
          {t("display.shortcuts.list")}
        </button>
      </div>
    </fieldset>
  );
}
