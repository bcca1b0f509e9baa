import { useId, type ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";
import { useRefusal, type Needed } from "./refusal.js";

/** A button that changes something. Where the token may not, it stays to be found and says why. */
export function ActionButton({
  needs,
  icon,
  look = "",
  hint,
  busy = false,
  onPress,
  children,
}: {
  readonly needs: Needed;
  readonly icon?: IconName;
  readonly look?: "primary" | "danger" | "quiet" | "";
  /** What it will do, in a sentence. */
  readonly hint: string;
  readonly busy?: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const refusal = useRefusal(needs);
  return (
    <>
      <button
        type="button"
        className={`button ${look}`}
        title={refusal ?? hint}
        aria-describedby={id}
        aria-disabled={refusal !== null || busy}
        onClick={() => {
          if (refusal === null && !busy) onPress();
        }}
      >
        {icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      <span id={id} hidden>
        {refusal ?? hint}
      </span>
    </>
  );
}
