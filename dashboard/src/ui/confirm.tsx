import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { Dialog } from "./dialog.js";
import { Field } from "./field.js";
import { useProblemText } from "./problem-note.js";

/** Asks before something is done. What fails is said here, and the question stays. */
export function Confirm<Done>({
  title,
  action,
  danger = false,
  ready = true,
  hasField = false,
  typed,
  run,
  onDone,
  onClose,
  children,
}: {
  readonly title: string;
  /** What the button says: the verb, not "OK". */
  readonly action: string;
  readonly danger?: boolean;
  /** Whether what the question needs has been filled in. */
  readonly ready?: boolean;
  /** Whether a field of the question takes the focus. */
  readonly hasField?: boolean;
  /** What must be typed first, and the label that asks for it. */
  readonly typed?: { readonly text: string; readonly label: string };
  readonly run: () => Promise<Done>;
  /** Default: it closes. */
  readonly onDone?: (done: Done) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { t } = useTexts();
  const [text, setText] = useState("");
  const problemText = useProblemText();
  const { mutate, isPending, error } = useMutation({
    mutationFn: run,
    onSuccess: onDone ?? onClose,
    // An answer may be a secret: nothing keeps it when the dialog is gone.
    gcTime: 0,
  });
  const isReady = ready && (typed === undefined || text.trim() === typed.text);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isPending) mutate();
        }}
      >
        {children}
        {typed !== undefined && (
          <Field label={typed.label}>
            {(control) => (
              <input
                {...control}
                className="input"
                autoComplete="off"
                spellCheck={false}
                value={text}
                onChange={({ target }) => {
                  setText(target.value);
                }}
              />
            )}
          </Field>
        )}
        {error !== null && (
          <p className="fault job-text" role="alert">
            {problemText(error)}
          </p>
        )}
        <div className="dialog-actions">
          {/* The focus begins on what changes nothing, unless there is a form to fill in. */}
          <button type="button" className="button" autoFocus={ready && !hasField} onClick={onClose}>
            {t("form.cancel")}
          </button>
          <button
            type="submit"
            className={`button ${danger ? "danger" : "primary"}`}
            disabled={!isReady || isPending}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
