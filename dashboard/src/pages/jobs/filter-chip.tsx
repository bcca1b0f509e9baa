import type { ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { Icon } from "../../ui/icon.js";
import { visible } from "../../ui/visible.js";

/** One term of the filter: pressed, it goes into the field; its cross removes it. */
export function FilterChip({
  text,
  fault,
  onEdit,
  onRemove,
}: {
  readonly text: string;
  /** Where in the text something is wrong. */
  readonly fault: number | null;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <span className={fault === null ? "chip" : "chip faulty"}>
      <button type="button" className="chip-text" title={t("jobs.filter.editTerm")} onClick={onEdit}>
        <span className="job-text" translate="no">
          {fault === null ? visible(text) : <Marked text={text} at={fault} />}
        </span>
      </button>
      <button
        type="button"
        className="chip-remove"
        aria-label={t("jobs.filter.remove", { term: text })}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

/** Underlined from where the fault is, or whole when it is at the end. */
function Marked({ text, at }: { readonly text: string; readonly at: number }): ReactNode {
  const from = at >= text.length ? 0 : at;
  return (
    <>
      {visible(text.slice(0, from))}
      <u className="fault-mark">{visible(text.slice(from))}</u>
    </>
  );
}
