import type { ReactNode } from "react";

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault: string | null;
}

/** What a control needs so that its label, hint and fault belong to it. */
interface ControlProps {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

/** A control with its label, a hint, and what is wrong with it. */
export function Field({
  id,
  label,
  hint,
  fault,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }): ReactNode {
  const described = [hint === undefined ? "" : `${id}-hint`, fault === null ? "" : `${id}-fault`];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-invalid": fault !== null,
        "aria-describedby": described.join(" ").trim() || undefined,
      })}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      )}
      {fault !== null && (
        <span id={`${id}-fault`} className="fault job-text" role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}
