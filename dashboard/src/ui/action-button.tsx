import { useId, type ReactNode } from "react";
import { useSelf } from "../api/queries.js";
import { useTexts } from "../i18n/text.js";

export type Capability = "enqueue" | "operate" | "administer";

/** Why the token may not do something, in a sentence; `null` when it may. */
export function useRefusal(needs: Capability): string | null {
  const { t } = useTexts();
  const { data } = useSelf();
  if (data === undefined || data.capabilities.includes(needs)) return null;
  return t(`access.${needs}`);
}

/** A button that changes something. Who may not press it is told why. */
export function ActionButton(props: {
  readonly needs: Capability;
  readonly className?: "primary" | "danger" | "quiet";
  readonly busy?: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { needs, className = "", busy = false, onPress, children } = props;
  const refusal = useRefusal(needs);
  const reason = useId();
  return (
    <>
      <button
        type="button"
        className={`button ${className}`}
        // Not `disabled`: that would hide it from the keyboard, and the reason with it.
        aria-disabled={busy || refusal !== null}
        aria-describedby={refusal === null ? undefined : reason}
        title={refusal ?? undefined}
        onClick={() => {
          if (!busy && refusal === null) onPress();
        }}
      >
        {children}
      </button>
      {refusal !== null && (
        <span id={reason} className="visually-hidden">
          {refusal}
        </span>
      )}
    </>
  );
}
