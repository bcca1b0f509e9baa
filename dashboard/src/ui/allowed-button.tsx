import { useId, type ReactNode } from "react";
import { useAllowed } from "../api/queries.js";
import type { Capability } from "../api/types.js";
import { scopesThatAllow } from "../../../src/core/access.js";
import { useTexts } from "../i18n/text.js";
import { Icon, type IconName } from "./icon.js";
import { toast } from "./toasts.js";

/** Why the token may not do something; `null` when it may. */
export function useRefusal(capability: Capability): string | null {
  const { t } = useTexts();
  const allowed = useAllowed(capability);
  return allowed ? null : t("allowed.needs", { scopes: scopesThatAllow(capability).join(", ") });
}

/** A button that says why it does nothing, when the token or the thing itself does not allow what it does. */
export function AllowedButton({
  needs,
  refusal = null,
  hint,
  busy = false,
  tone = "",
  icon,
  onPress,
  children,
}: {
  readonly needs: Capability;
  /** Another reason not to. */
  readonly refusal?: string | null;
  /** What it will do, in a sentence. */
  readonly hint?: string;
  /** Whether it is at it. */
  readonly busy?: boolean;
  readonly tone?: "" | "primary" | "danger" | "quiet";
  readonly icon?: IconName;
  readonly onPress: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const reason = useRefusal(needs) ?? refusal;
  const told = reason ?? hint;
  return (
    <>
      {/* Not disabled for the browser: the reason must be reachable by keyboard and by touch. */}
      <button
        type="button"
        className={`button ${tone}`}
        aria-disabled={reason !== null || busy}
        aria-describedby={told === undefined ? undefined : id}
        title={told}
        onClick={() => {
          if (reason !== null) toast(reason);
          else if (!busy) onPress();
        }}
      >
        {icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      {told !== undefined && (
        <span id={id} hidden>
          {told}
        </span>
      )}
    </>
  );
}
