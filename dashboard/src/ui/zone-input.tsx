import { useId, type ComponentProps, type ReactNode } from "react";
import { zoneNames } from "../i18n/zone-time.js";

/** A field for the name of a time zone, which offers all that the browser knows. */
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
    </>
  );
}
