import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";

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
  /** Whether a click beside it closes it. Not for forms with much to lose. Escape always does, unless this is false. */
  readonly dismissable?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <ModalOverlay
      isOpen
      isDismissable={dismissable}
      isKeyboardDismissDisabled={!dismissable}
      className="overlay"
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal>
        <AriaDialog className={wide ? "dialog wide" : "dialog"}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
