import { useSuggestions } from "../api/suggestions.js";
import { useTexts } from "../i18n/text.js";
import type { Option } from "../ui/combobox.js";
import { completionAt, fieldOf, suggestionsFor, type Suggestion } from "./completion.js";

/** A suggestion as a field lists it. */
export interface Offer extends Option {
  readonly suggestion: Suggestion;
}

/** What could be written at the end of a filter. */
export function useOffers(text: string): readonly Offer[] {
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
      leadsOn: !suggestion.completes,
      ...(tells && has(key) ? { detail: t(key as "state.dead") } : {}),
    };
  });
}
