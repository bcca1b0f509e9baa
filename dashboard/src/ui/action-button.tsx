import { useId, type ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";
import { toast } from "./toasts.js";

/** A button that says why it cannot be used, to whoever points at it or comes to it with the keyboard. */
export function ActionButton({
  icon,
  tone = "",
  refusal,
  hint,
  busy = false,
  onPress,
  children,
}: {
  readonly icon?: IconName;
  readonly tone?: "" | "primary" | "danger" | "quiet";
  /** `null`: it can be used. */
  readonly refusal: string | null;
  /** What it will do, in a sentence. */
  readonly hint?: string | undefined;
  /** Whether it is at it. */
  readonly busy?: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const told = refusal ?? hint;
  return (
    <>
      <button
        type="button"
        className={`button ${tone}`}
        // Not disabled for the browser: the reason must be reachable by keyboard and by touch.
        aria-disabled={refusal !== null || busy}
        aria-describedby={told === undefined ? undefined : id}
        title={told}
        onClick={() => {
          if (refusal !== null) toast(refusal);
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
