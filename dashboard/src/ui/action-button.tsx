import { useId, useState, type ReactNode } from "react";
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
  /** What it does; while a promise of it is on its way, it does nothing more. */
  readonly onPress: () => unknown;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const [isAtIt, setAtIt] = useState(false);
  const isBusy = busy || isAtIt;
  const press = (): void => {
    const work = onPress();
    if (!(work instanceof Promise)) return;
    setAtIt(true);
    const end = (): void => {
      setAtIt(false);
    };
    work.then(end, end);
  };
  const told = refusal ?? hint;
  return (
    <>
      <button
        type="button"
        className={`button ${tone}`}
        // Not disabled for the browser: the reason must be reachable by keyboard and by touch.
        aria-disabled={refusal !== null || isBusy}
        aria-describedby={told === undefined ? undefined : id}
        title={told}
        onClick={() => {
          if (refusal !== null) toast(refusal);
          else if (!isBusy) press();
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
