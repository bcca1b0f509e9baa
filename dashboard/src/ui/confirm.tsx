import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { asProblem } from "../api/problem.js";
import { useTexts } from "../i18n/text.js";
import { Dialog } from "./dialog.js";
import { Field } from "./field.js";
import { useProblemText } from "./problem-note.js";
import { toast } from "./toasts.js";
import { useIsHere } from "./use-is-here.js";

/** Of these nobody knows whether what was asked for was done. */
const UNSURE: readonly number[] = [0, 502, 504];

interface ConfirmProps<Done> {
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
  /** What has changed since it was asked: it is to be read before it is done all the same. */
  readonly warning?: string | null;
  /** Whether doing it twice does harm: after a lost answer it is to be looked up before it is done again. */
  readonly onceOnly?: boolean;
  readonly run: () => Promise<Done>;
  /** Default: it closes. */
  readonly onDone?: (done: Done) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something is done. What fails is said here, and the question stays; when it is gone, in a toast. */
export function Confirm<Done>({
  title,
  action,
  danger = false,
  ready = true,
  hasField = false,
  typed,
  warning = null,
  onceOnly = false,
  run,
  onDone,
  onClose,
  children,
}: ConfirmProps<Done>): ReactNode {
  const { t } = useTexts();
  const [text, setText] = useState("");
  const problemText = useProblemText();
  const { send, isPending, error } = useSend(run, onDone ?? onClose);
  const isUnsure = onceOnly && error !== null && UNSURE.includes(asProblem(error).status);
  // What changes while it is on its way is its own doing.
  const changed = isPending ? null : warning;
  const warned = isUnsure ? t("confirm.unsure") : changed;
  const [read, setRead] = useState<string | null>(null);
  const isReady =
    ready && (typed === undefined || text.trim() === typed.text) && (warned === null || read === warned);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady) return;
          setRead(null);
          send();
        }}
      >
        {children}
        {typed !== undefined && <TypedField label={typed.label} value={text} onChange={setText} />}
        {error !== null && (
          <p className="fault job-text" role="alert">
            {problemText(error)}
          </p>
        )}
        {warned !== null && (
          <Warning
            text={warned}
            isRead={read === warned}
            onRead={(is) => {
              setRead(is ? warned : null);
            }}
          />
        )}
        <div className="dialog-actions">
          {/* The focus begins on what changes nothing, unless there is a form to fill in. */}
          <button type="button" className="button" autoFocus={ready && !hasField} onClick={onClose}>
            {t("confirm.no")}
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

/** Does it once at a time. An answer that comes when the dialog is gone must not close another one. */
function useSend<Done>(run: () => Promise<Done>, onDone: (done: Done) => void) {
  const problemText = useProblemText();
  const isHere = useIsHere();
  const sent = useRef(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: run,
    onError: (failure) => {
      if (!isHere()) toast(problemText(failure), "bad");
    },
    // An answer may be a secret: nothing keeps it when the dialog is gone.
    gcTime: 0,
  });
  const send = (): void => {
    if (sent.current) return;
    sent.current = true;
    mutate(undefined, {
      onSuccess: onDone,
      onSettled: () => {
        sent.current = false;
      },
    });
  };
  return { send, isPending, error };
}

/** What is to be read before it is done all the same. */
function Warning({
  text,
  isRead,
  onRead,
}: {
  readonly text: string;
  readonly isRead: boolean;
  readonly onRead: (is: boolean) => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <div className="notice warn" role="alert">
      <span>
        {text}
        <label className="choice">
          <input
            type="checkbox"
            checked={isRead}
            onChange={({ target }) => {
              onRead(target.checked);
            }}
          />
          <span>{t("confirm.allTheSame")}</span>
        </label>
      </span>
    </div>
  );
}

function TypedField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          className="input"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => {
            onChange(target.value);
          }}
        />
      )}
    </Field>
  );
}
