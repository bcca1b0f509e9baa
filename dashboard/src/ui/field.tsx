import { useId, type ReactNode } from "react";
import { visible } from "./visible.js";

/** A control with its name above, and a hint or a fault below. */
export function Field({
  label,
  hint,
  fault,
  children,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly fault?: ReactNode;
  readonly children: (control: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": boolean;
  }) => ReactNode;
}): ReactNode {
  const id = useId();
  const isWrong = fault !== undefined && fault !== null;
  const isDescribed = isWrong || hint !== undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": isDescribed ? `${id}-about` : undefined,
        "aria-invalid": isWrong,
      })}
      {isDescribed && (
        <span id={`${id}-about`} className={isWrong ? "fault job-text" : "hint"}>
          {isWrong ? (typeof fault === "string" ? visible(fault) : fault) : hint}
        </span>
      )}
    </div>
  );
}
