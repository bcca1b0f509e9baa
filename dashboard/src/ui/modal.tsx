import { useCallback, useRef, useState, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";

/**
 * What lies over the page and must be dealt with first: the browser's own modal dialog. It keeps the focus and the
 * screen reader inside, and gives the focus back to where it was.
 */
export function Modal({
  className,
  labelledBy,
  label,
  onClose,
  dismissable = true,
  children,
}: {
  readonly className: string;
  readonly labelledBy?: string;
  readonly label?: string;
  readonly onClose: () => void;
  /** Whether Escape and a press beside it close it. Once something is written, Escape asks, and the press does nothing. */
  readonly dismissable?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const written = useRef(false);
  const [asking, setAsking] = useState(false);
  // Its content is made when it is open: only then a field can take the focus.
  const show = useCallback((element: HTMLDialogElement) => {
    if (!element.open) element.showModal();
    setOpen(true);
    return () => {
      // While the question inside is open, nothing outside of it can take the focus.
      element.querySelector("dialog")?.close();
      element.close();
    };
  }, []);
  const leave = (): void => {
    if (!dismissable) return;
    if (written.current) setAsking(true);
    else onClose();
  };
  return (
    <dialog
      ref={show}
      className={className}
      aria-labelledby={labelledBy}
      aria-label={label}
      tabIndex={-1}
      onInput={() => {
        written.current = true;
      }}
      onMouseDown={({ target, currentTarget, detail }) => {
        // What is not in its content is beside it: the content fills it. Not the second press of a double click, whose
        // first one has opened it.
        if (dismissable && !written.current && target === currentTarget && detail < 2) onClose();
      }}
      onKeyDown={(event) => {
        // Not left to `cancel`: browsers close a dialog on a second Escape, whatever the first one was answered.
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        event.stopPropagation();
        leave();
      }}
      onCancel={(event) => {
        event.preventDefault();
        // Not that of the question inside.
        if (event.target === event.currentTarget) leave();
      }}
    >
      {open && children}
      {asking && (
        <DiscardQuestion
          onDiscard={onClose}
          onKeep={() => {
            setAsking(false);
          }}
        />
      )}
    </dialog>
  );
}

/** Escape is pressed too easily to lose by it what was written. */
function DiscardQuestion({
  onDiscard,
  onKeep,
}: {
  readonly onDiscard: () => void;
  readonly onKeep: () => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <Modal className="dialog" label={t("confirm.discard")} onClose={onKeep}>
      <div className="dialog-content">
        <h2>{t("confirm.discard")}</h2>
        <div className="dialog-actions">
          <button type="button" className="button" autoFocus onClick={onKeep}>
            {t("confirm.discard.no")}
          </button>
          <button type="button" className="button danger" onClick={onDiscard}>
            {t("confirm.discard.yes")}
          </button>
        </div>
      </div>
    </Modal>
  );
}
