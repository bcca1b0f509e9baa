import { useId, type ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

/** A button that says why it cannot be used, to whoever points at it or comes to it with the keyboard. */
export function ActionButton({
  icon,
  tone = "",
  refusal,
  onPress,
  children,
}: {
  readonly icon?: IconName;
  readonly tone?: "" | "primary" | "danger";
  /** `null`: it can be used. */
  readonly refusal: string | null;
  readonly onPress: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const reason = useId();
  return (
    <>
      <button
        type="button"
        className={`button ${tone}`}
        aria-disabled={refusal !== null}
        aria-describedby={refusal === null ? undefined : reason}
        title={refusal ?? undefined}
        onClick={() => {
          if (refusal === null) onPress();
        }}
      >
        {icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      {refusal !== null && (
        <span id={reason} hidden>
          {refusal}
        </span>
      )}
    </>
  );
}
