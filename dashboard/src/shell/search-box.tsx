import { useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useTexts } from "../i18n/text.js";
import { useShortcut } from "./shortcuts.js";
import { jobPath, jobsPath } from "./routes.js";

/** Goes to the jobs that a filter matches, or to the job of a number. */
export function SearchBox(): ReactNode {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useShortcut("Slash", () => field.current?.focus());
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const query = text.trim();
        navigate(/^\d+$/.test(query) ? jobPath(query) : jobsPath(query));
        setText("");
        field.current?.blur();
      }}
    >
      <input
        ref={field}
        className="input"
        type="search"
        aria-label={t("search.label")}
        placeholder={t("search.placeholder")}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
      />
    </form>
  );
}
