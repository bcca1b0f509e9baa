import { useSelf } from "../api/queries.js";
import { useTexts } from "../i18n/text.js";

/** What of a token's capabilities an action of the dashboard needs. */
export type Needed = "operate" | "administer";

/** Why the token may not do something, in a sentence; `null`: it may. */
export function useRefusal(needed: Needed): string | null {
  const { t } = useTexts();
  const { data } = useSelf();
  // Until it is known, nothing is refused here; the server decides in any case.
  return data === undefined || data.capabilities.includes(needed) ? null : t(`refusal.${needed}`);
}
