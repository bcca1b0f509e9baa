import { useId, type ReactNode } from "react";
import { Modal } from "./modal.js";

/** A dialog over the page. The focus goes in, stays in, and returns to where it was. */
export function Dialog({
  title,
  wide = false,
  onClose,
  dismissable = true,
  children,
}: {
  readonly title: string;
  readonly wide?: boolean;
  readonly onClose: () => void;
  /** Whether Escape and a press beside it close it. Not for what must be answered. */
  readonly dismissable?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <Modal
      className={wide ? "dialog wide" : "dialog"}
      labelledBy={id}
      onClose={onClose}
      dismissable={dismissable}
    >
      <div className="dialog-content">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </Modal>
  );
}
