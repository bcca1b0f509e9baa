import { useEffect, useRef, useState, type ReactNode } from "react";

const TYPING_MS = 300;

/** A field for a whole name. Tells it when the typing pauses. */
export function NameField({
  label,
  hint,
  name,
  onChange,
}: {
  readonly label: string;
  readonly hint: string;
  readonly name: string;
  readonly onChange: (name: string) => void;
}): ReactNode {
  const [text, setText] = useState(name);
  const [told, setTold] = useState(name);
  if (name !== told) {
    // Somebody else has changed it, such as the button that clears the filter.
    setTold(name);
    setText(name);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  return (
    <input
      className="input"
      type="search"
      aria-label={label}
      placeholder={hint}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          setTold(target.value.trim());
          onChange(target.value.trim());
        }, TYPING_MS);
      }}
    />
  );
}
