import type { ReactNode } from "react";
import { asProblem } from "../../api/problem.js";
import { filterFaultText } from "../../i18n/faults.js";
import { useTexts } from "../../i18n/text.js";
import { visible } from "../../ui/visible.js";

/** What is wrong with a filter, and where. */
export interface FilterFault {
  readonly position: number;
  readonly code: string;
  readonly detail: string;
}

export function filterFaultOf(error: unknown): FilterFault | null {
  if (error === null) return null;
  const { code, message, document } = asProblem(error);
  if (code !== "bad_filter") return null;
  const [fault] = document?.errors ?? [];
  return { position: fault?.position ?? 0, code: fault?.code ?? code, detail: fault?.detail ?? message };
}

export function FilterFaultNote({
  id,
  filter,
  fault,
}: {
  readonly id: string;
  readonly filter: string;
  readonly fault: FilterFault;
}): ReactNode {
  const { t, language } = useTexts();
  const { position } = fault;
  // What stands there, so that the place is known without seeing the underline.
  const place = filter.slice(position).split(/\s/, 1)[0] ?? "";
  return (
    <p id={id} className="filter-fault" role="alert">
      {place === "" ? (
        t("jobs.filter.faultAtEnd")
      ) : (
        <code className="job-text" translate="no">
          {visible(place)}
        </code>
      )}{" "}
      <span className="job-text">{visible(filterFaultText(language, fault, filter.slice(0, position)))}</span>
    </p>
  );
}
