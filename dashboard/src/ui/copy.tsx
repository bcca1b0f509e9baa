import { useEffect, useState, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { Icon } from "./icon.js";
import { toast } from "./toasts.js";

const SHOWN_MS = 1_500;

/** Copies a text exactly as it is. */
export function CopyButton({
  text,
  label,
}: {
  /** Or what fetches it, for a text that is too large to be there already. */
  readonly text: string | (() => Promise<string>);
  readonly label?: string;
}): ReactNode {
  const { t } = useTexts();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => {
      setCopied(false);
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [copied]);
  const name = copied ? t("copy.copied") : (label ?? t("copy.copy"));
  return (
    <button
      type="button"
      className="button quiet icon"
      title={name}
      aria-label={name}
      onClick={() => {
        void Promise.resolve(typeof text === "string" ? text : text())
          .then(copyText)
          .then(
            () => {
              setCopied(true);
            },
            () => {
              toast(t("copy.failed"), "bad");
            },
          );
      }}
    >
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}

/** Copies a text, and says in a toast whether it could. For what is no button of its own. */
export function useCopy(): (text: string, done?: "copy.copied" | "about.copied") => void {
  const { t } = useTexts();
  return (text, done = "copy.copied") => {
    copyText(text).then(
      () => {
        toast(t(done));
      },
      () => {
        toast(t("copy.failed"), "bad");
      },
    );
  };
}

/** @throws when the browser does not let it */
async function copyText(text: string): Promise<void> {
  if (!(await tookByClipboard(text)) && !tookBySelection(text)) throw new Error("The browser copied nothing");
}

/** On plain HTTP browsers have no clipboard for scripts, and elsewhere it may be forbidden. */
async function tookByClipboard(text: string): Promise<boolean> {
  if (!window.isSecureContext) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The old way, through a selection. */
function tookBySelection(text: string): boolean {
  const { activeElement } = document;
  const field = document.createElement("textarea");
  field.value = text;
  // The field itself would make one line break of another.
  field.addEventListener("copy", (event) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  });
  field.className = "visually-hidden";
  // Beside a dialog nothing can be selected while it is open.
  (activeElement?.closest("dialog, [role=dialog]") ?? document.body).append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way without a secure context
  const copied = document.execCommand("copy");
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  return copied;
}
