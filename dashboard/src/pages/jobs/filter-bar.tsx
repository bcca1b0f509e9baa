import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useSuggestions } from "../../api/suggestions.js";
import { useTexts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { isFree } from "../../shell/shortcuts.js";
import { Combobox, type Option } from "../../ui/combobox.js";
import { Icon } from "../../ui/icon.js";
import { completed, completionAt, fieldOf, suggestionsFor, type Suggestion } from "./completion.js";
import { FilterChip } from "./filter-chip.js";
import { FilterFaultNote } from "./filter-fault.js";
import { statesOf, termsOf, textOf, withoutTerm } from "./filter-text.js";
import type { FilterFault } from "./filter-fault.js";
import type { JobsFilter } from "./jobs-url.js";

/** What is being written: these terms stay chips, the rest is in the field. */
interface Draft {
  readonly kept: readonly string[];
  readonly text: string;
}

interface Offer extends Option {
  readonly suggestion: Suggestion;
}

/** The filter as chips, and a field for more. A chip goes back into the field to be changed. */
export function FilterBar({
  filter,
  fault,
}: {
  readonly filter: JobsFilter;
  readonly fault: FilterFault | null;
}): ReactNode {
  const { t } = useTexts();
  const apply = useApply(filter);
  const field = useRef<HTMLInputElement>(null);
  const faultId = useId();
  const terms = termsOf(filter.q);
  // A draft belongs to the filter that it was begun on.
  const [draft, setDraft] = useState<(Draft & { readonly of: string }) | null>(null);
  const { kept, text } = draft?.of === filter.q ? draft : { kept: terms.map((term) => term.text), text: "" };
  const write = (next: Draft): void => {
    setDraft({ ...next, of: filter.q });
  };
  const commit = (written: string): void => {
    setDraft(null);
    apply(textOf([...kept, written]));
  };
  const lift = (next: Draft): void => {
    write(next);
    field.current?.focus();
  };
  useFocusKey(field);
  const offers = useOffers(text);

  return (
    <div className="filter">
      <div className="filter-box" role="group" aria-label={t("jobs.filter")}>
        <Icon name="search" />
        {kept.map((term, index) => (
          <FilterChip
            key={`${String(index)}${term}`}
            text={term}
            fault={draft === null ? faultWithin(terms[index], fault) : null}
            onEdit={() => {
              lift({ kept: kept.filter((_, each) => each !== index), text: textOf([term, text]) });
            }}
            onRemove={() => {
              if (draft === null) apply(withoutTerm(filter.q, index));
              else write({ kept: kept.filter((_, each) => each !== index), text });
              field.current?.focus();
            }}
          />
        ))}
        <Combobox<Offer>
          field={field}
          label={t("jobs.filter.suggestions")}
          aria-label={t("jobs.filter.more")}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? undefined : faultId}
          placeholder={kept.length === 0 ? t("jobs.filter.placeholder") : undefined}
          maxLength={1000}
          value={text}
          options={offers}
          onChange={({ target }) => {
            write({ kept, text: target.value });
          }}
          onChoose={({ suggestion }) => {
            const next = completed(text, completionAt(text, text.length), suggestion);
            if (suggestion.completes) commit(next);
            else write({ kept, text: next });
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit(text);
            else if (event.key === "Escape") {
              setDraft(null);
              field.current?.blur();
            } else if (event.key === "Backspace" && text === "" && kept.length > 0) {
              event.preventDefault();
              write({ kept: kept.slice(0, -1), text: kept.at(-1) ?? "" });
            }
          }}
        />
        {kept.length > 0 && (
          <>
            <button
              type="button"
              className="button quiet icon"
              title={t("jobs.filter.edit")}
              aria-label={t("jobs.filter.edit")}
              onClick={() => {
                lift({ kept: [], text: textOf([...kept, text]) });
              }}
            >
              <Icon name="edit" />
            </button>
            <button
              type="button"
              className="button quiet icon"
              title={t("jobs.filter.clear")}
              aria-label={t("jobs.filter.clear")}
              onClick={() => {
                setDraft(null);
                apply("");
                field.current?.focus();
              }}
            >
              <Icon name="close" />
            </button>
          </>
        )}
      </div>
      {fault !== null && <FilterFaultNote id={faultId} filter={filter.q} fault={fault} />}
    </div>
  );
}

/** Goes to the list with another filter. States in it are an answer to the tabs: they leave the tab. */
function useApply(filter: JobsFilter): (q: string) => void {
  const [, navigate] = useLocation();
  return (q) => {
    const tab = statesOf(q).length > 0 ? null : filter.tab;
    navigate(jobsPath(q, tab ?? undefined));
  };
}

function useOffers(text: string): readonly Offer[] {
  const { t, has } = useTexts();
  const completion = completionAt(text, text.length);
  const values = useSuggestions(fieldOf(completion), completion.typed);
  return suggestionsFor(completion, values).map((suggestion) => {
    const name = /^[a-z]+/.exec(suggestion.text)?.[0] ?? "";
    const key = completion.qualifier === null ? `jobs.qualifier.${name}` : `state.${name}`;
    const tells = completion.qualifier === null || completion.qualifier === "state";
    return {
      text: suggestion.text,
      suggestion,
      ...(tells && has(key) ? { detail: t(key as "state.dead") } : {}),
    };
  });
}

/** `/` comes here, and not to the search of every page. */
function useFocusKey(field: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.code !== "Slash" || event.shiftKey || !isFree(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", press, { capture: true });
    return () => {
      document.removeEventListener("keydown", press, { capture: true });
    };
  }, [field]);
}

/** Where the fault is in the term, if it is there. */
function faultWithin(
  term: { readonly start: number; readonly end: number } | undefined,
  fault: FilterFault | null,
): number | null {
  if (fault === null || term === undefined) return null;
  const { position } = fault;
  return position >= term.start && position <= term.end ? position - term.start : null;
}
