import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { useLocation } from "wouter";
import { completed, completionAt } from "../../filter/completion.js";
import { statesOf, termsOf, textOf } from "../../filter/filter-text.js";
import { useOffers, type Offer } from "../../filter/offers.js";
import { useTexts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { isFree } from "../../shell/shortcuts.js";
import { Combobox } from "../../ui/combobox.js";
import { Icon, type IconName } from "../../ui/icon.js";
import { FilterChip } from "./filter-chip.js";
import { FilterFaultNote, type FilterFault } from "./filter-fault.js";
import type { JobsFilter } from "./jobs-url.js";

/** The filter as chips, and a field for more. A chip goes back into the field to be changed. */
export function FilterBar({
  filter,
  fault,
}: {
  readonly filter: JobsFilter;
  readonly fault: FilterFault | null;
}): ReactNode {
  const { t } = useTexts();
  const field = useRef<HTMLInputElement>(null);
  const faultId = useId();
  const draft = useDraft(filter);
  const { kept, text, touched, write, commit, apply } = draft;
  const offers = useOffers(text);
  const terms = termsOf(filter.q);
  useFocusKey(field);
  const withFocus = (change: () => void) => () => {
    change();
    field.current?.focus();
  };
  return (
    <div className="filter">
      <div className="filter-box" role="group" aria-label={t("jobs.filter")}>
        <Icon name="search" />
        {kept.map((term, index) => {
          const others = kept.filter((_, each) => each !== index);
          return (
            <FilterChip
              key={`${String(index)}${term}`}
              text={term}
              fault={touched ? null : faultWithin(terms[index], fault)}
              onEdit={withFocus(() => {
                write(others, textOf([term, text]));
              })}
              onRemove={withFocus(() => {
                if (touched) write(others, text);
                else apply(textOf(others));
              })}
            />
          );
        })}
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
            write(kept, target.value);
          }}
          onChoose={({ suggestion }) => {
            const next = completed(text, completionAt(text, text.length), suggestion);
            if (suggestion.completes) commit(next);
            else write(kept, next);
          }}
          onKeyDown={(event) => {
            pressed(event, draft, field.current);
          }}
        />
        {kept.length > 0 && (
          <FilterButtons
            onEdit={withFocus(() => {
              write([], textOf([...kept, text]));
            })}
            onClear={withFocus(() => {
              apply("");
            })}
          />
        )}
      </div>
      {fault !== null && <FilterFaultNote id={faultId} filter={filter.q} fault={fault} />}
    </div>
  );
}

/** Enter takes the filter, Escape what was there before, and Backspace goes back into the last chip. */
function pressed(
  event: KeyboardEvent,
  { kept, text, write, drop, commit }: Draft,
  field: HTMLElement | null,
): void {
  if (event.key === "Enter") commit(text);
  else if (event.key === "Escape") {
    drop();
    field?.blur();
  } else if (event.key === "Backspace" && text === "" && kept.length > 0) {
    event.preventDefault();
    write(kept.slice(0, -1), kept.at(-1) ?? "");
  }
}

/** For the whole filter: back into the field, or away. */
function FilterButtons({
  onEdit,
  onClear,
}: {
  readonly onEdit: () => void;
  readonly onClear: () => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <>
      <IconButton icon="edit" name={t("jobs.filter.edit")} onPress={onEdit} />
      <IconButton icon="close" name={t("jobs.filter.clear")} onPress={onClear} />
    </>
  );
}

function IconButton({
  icon,
  name,
  onPress,
}: {
  readonly icon: IconName;
  readonly name: string;
  readonly onPress: () => void;
}): ReactNode {
  return (
    <button type="button" className="button quiet icon" title={name} aria-label={name} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}

/** What is being written: `kept` stays chips, `text` is in the field. It belongs to the filter that it was begun on. */
interface Draft {
  readonly kept: readonly string[];
  readonly text: string;
  /** Whether it differs from the filter of the page. */
  readonly touched: boolean;
  readonly write: (kept: readonly string[], text: string) => void;
  readonly drop: () => void;
  /** Makes it the filter, with this in the field. */
  readonly commit: (text: string) => void;
  readonly apply: (q: string) => void;
}

function useDraft(filter: JobsFilter): Draft {
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState<{ of: string; kept: readonly string[]; text: string } | null>(null);
  const written = draft?.of === filter.q ? draft : null;
  const kept = written?.kept ?? termsOf(filter.q).map((term) => term.text);
  const apply = (q: string): void => {
    setDraft(null);
    // States in it are an answer to the tabs: they leave the tab.
    navigate(jobsPath(q, statesOf(q).length > 0 ? undefined : (filter.tab ?? undefined)));
  };
  return {
    kept,
    text: written?.text ?? "",
    touched: written !== null,
    write: (next, text) => {
      setDraft({ of: filter.q, kept: next, text });
    },
    drop: () => {
      setDraft(null);
    },
    commit: (text) => {
      apply(textOf([...kept, text]));
    },
    apply,
  };
}

/** `/` comes here, and not to the search of every page. */
function useFocusKey(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
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
