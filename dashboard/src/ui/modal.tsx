import { useCallback, useRef, useState, type ReactNode } from "react";

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
  /** Whether Escape and a press beside it close it; the latter only while nothing has been written into it. */
  readonly dismissable?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const written = useRef(false);
  // Its content is made when it is open: only then a field can take the focus.
  const show = useCallback((element: HTMLDialogElement) => {
    if (!element.open) element.showModal();
    setOpen(true);
    return () => {
      element.close();
    };
  }, []);
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
        if (dismissable) onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (dismissable) onClose();
      }}
    >
      {open && children}
    </dialog>
  );
}
