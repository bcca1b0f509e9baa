import { useId, useState, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { Dialog } from "./dialog.js";
import { ProblemNote } from "./problem-note.js";

/** Asks before something that cannot be taken back. The focus is on what changes nothing. */
export function Confirm({
  title,
  act,
  danger = true,
  typed = null,
  ready = true,
  run,
  onClose,
  children,
}: {
  readonly title: string;
  /** What the button says. */
  readonly act: string;
  readonly danger?: boolean;
  /** A text that must be typed first. */
  readonly typed?: string | null;
  readonly ready?: boolean;
  /** Where it fails, the dialog stays and says why. */
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const { t, rich } = useTexts();
  const id = useId();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const allowed = ready && !busy && (typed === null || text.trim() === typed);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      await run();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (allowed) void submit();
        }}
      >
        {typed !== null && (
          <div className="field">
            <label htmlFor={id}>{rich("confirm.type", { text: <code>{typed}</code> })}</label>
            <input
              id={id}
              className="input"
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={({ target }) => {
                setText(target.value);
              }}
            />
          </div>
        )}
        {error !== null && <ProblemNote error={error} />}
        <div className="dialog-actions">
          <button type="button" className="button" autoFocus onClick={onClose}>
            {t("confirm.no")}
          </button>
          <button type="submit" className={`button ${danger ? "danger" : "primary"}`} disabled={!allowed}>
            {act}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
