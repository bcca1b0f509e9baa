import { useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useQueuesQuery } from "../api/queries.js";
import { completed, completionAt } from "../filter/completion.js";
import { useOffers, type Offer } from "../filter/offers.js";
import { useTexts } from "../i18n/text.js";
import { Combobox, type Option } from "../ui/combobox.js";
import { queuePath } from "./routes.js";
import { queuesFor, searchPath } from "./search.js";
import { useShortcut } from "./shortcuts.js";

/** Goes to the job of a number, to a queue, or to the jobs that a filter matches. */
export function SearchBox(): ReactNode {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const queues = useQueuesQuery().data?.items.map(({ name }) => name) ?? [];
  const options = useOptions(text, queues);
  useShortcut("Slash", () => field.current?.focus());
  const go = (path: string): void => {
    navigate(path);
    setText("");
    field.current?.blur();
  };
  return (
    <form
      className="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        go(searchPath(text, queues));
      }}
    >
      <Combobox
        field={field}
        className="input"
        label={t("search.suggestions")}
        aria-label={t("search.label")}
        placeholder={t("search.placeholder")}
        maxLength={1000}
        value={text}
        options={options}
        onChange={({ target }) => {
          setText(target.value);
        }}
        onChoose={(option) => {
          if ("queue" in option) go(queuePath(option.queue));
          else setText(completed(text, completionAt(text, text.length), option.suggestion));
        }}
      />
    </form>
  );
}

type QueueOption = Option & { readonly queue: string };

/** Nothing while nothing is typed: the box is on every page, and a click into it is no question yet. */
function useOptions(text: string, queues: readonly string[]): readonly (QueueOption | Offer)[] {
  const { t } = useTexts();
  const offers = useOffers(text);
  if (text.trim() === "") return [];
  const found = queuesFor(text, queues).map((queue) => ({
    text: queue,
    queue,
    detail: t("search.queue"),
  }));
  return [...found, ...offers];
}
