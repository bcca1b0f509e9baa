import type { ReactNode } from "react";
import type { DeadGroupView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { visible } from "./visible.js";

const SHOWN = 5;

/** What the jobs of an action died of, and how many of each. The most frequent error comes first. */
export function BulkErrors({ groups }: { readonly groups: readonly DeadGroupView[] }): ReactNode {
  const { t, format } = useTexts();
  const left = groups.slice(SHOWN).reduce((sum, { count }) => sum + count, 0);
  return (
    <div>
      <h3>{t("bulk.errors")}</h3>
      <ul className="bulk-samples bulk-errors">
        {groups.slice(0, SHOWN).map(({ fingerprint, queue, name, type, message, count }) => (
          <li key={JSON.stringify([fingerprint, queue, name])}>
            <span className="job-text" translate="no">
              <strong>{visible(type)}</strong>: {visible(message)}{" "}
              <span className="muted">
                {visible(name)} · {visible(queue)}
              </span>
            </span>
            <strong className="number">{format.number(count)}</strong>
          </li>
        ))}
        {left > 0 && (
          <li className="muted">
            <span>{t("bulk.otherErrors")}</span>
            <span className="number">{format.number(left)}</span>
          </li>
        )}
      </ul>
    </div>
  );
}
