import { useId, type ComponentProps, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { isZone, zoneNames, zonesLike } from "../i18n/zone-time.js";

/** A field for the name of a time zone, which offers all that the browser knows, and knows cities. */
export function ZoneInput({
  value,
  onChange,
  ...rest
}: {
  readonly value: string;
  readonly onChange: (zone: string) => void;
} & Pick<ComponentProps<"input">, "id" | "aria-describedby" | "aria-invalid">): ReactNode {
  const list = useId();
  return (
    <>
      <input
        {...rest}
        className="input"
        list={list}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
      <datalist id={list}>
        {zoneNames().map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Meant typed={value} onChoose={onChange} />
    </>
  );
}

/** The zones that a name which is none may stand for. */
function Meant({
  typed,
  onChoose,
}: {
  readonly typed: string;
  readonly onChoose: (zone: string) => void;
}): ReactNode {
  const { t } = useTexts();
  const meant = isZone(typed.trim()) ? [] : zonesLike(typed);
  if (meant.length === 0) return null;
  return (
    <span className="meant hint">
      {t("zone.meant")}
      {meant.map((zone) => (
        <button
          key={zone}
          type="button"
          className="link-button"
          translate="no"
          onClick={() => {
            onChoose(zone);
          }}
        >
          {zone}
        </button>
      ))}
    </span>
  );
}
