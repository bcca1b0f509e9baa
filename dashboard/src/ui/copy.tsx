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
          .then(setCopied, () => {
            toast(t("copy.failed"), "bad");
          });
      }}
    >
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}

/** On plain HTTP browsers have no clipboard for scripts; there the old way through a selection still works. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way without a secure context
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
