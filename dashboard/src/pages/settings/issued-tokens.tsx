import { useEffect, useSyncExternalStore, type ReactNode } from "react";
import type { IssuedTokenView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { CopyButton } from "../../ui/copy.js";
import { Dialog } from "../../ui/dialog.js";
import { Field } from "../../ui/field.js";

interface Issued {
  /** Answers that are awaited. */
  readonly awaited: number;
  readonly unseen: readonly IssuedTokenView[];
}

let issued: Issued = { awaited: 0, unseen: [] };
const listeners = new Set<() => void>();

function change(next: Issued): void {
  issued = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a new token once it is there, whatever page or dialog is open then. @throws Problem */
export async function keepUntilSeen(request: Promise<IssuedTokenView>): Promise<void> {
  change({ ...issued, awaited: issued.awaited + 1 });
  try {
    const token = await request;
    // The dialog that asked is closed first: it gives the focus back.
    setTimeout(() => {
      change({ ...issued, unseen: [...issued.unseen, token] });
    });
  } finally {
    change({ ...issued, awaited: issued.awaited - 1 });
  }
}

/** Tokens that were issued, one after the other, each until its reader has said to have it. Part of no page. */
export function IssuedTokens(): ReactNode {
  const { awaited, unseen } = useSyncExternalStore(subscribe, () => issued);
  const isAtStake = awaited > 0 || unseen.length > 0;
  useEffect(() => {
    if (!isAtStake) return undefined;
    const ask = (event: BeforeUnloadEvent): void => {
      event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => {
      removeEventListener("beforeunload", ask);
    };
  }, [isAtStake]);
  const [first, ...others] = unseen;
  if (first === undefined) return null;
  return (
    <IssuedToken
      key={first.id}
      token={first}
      onClose={() => {
        change({ ...issued, unseen: others });
      }}
    />
  );
}

/** The token itself, once. It is nowhere but in this dialog, which neither Escape nor a click beside it closes. */
function IssuedToken({
  token: { name, token },
  onClose,
}: {
  readonly token: IssuedTokenView;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <Dialog title={t("tokens.issued.title", { name })} dismissable={false} onClose={onClose}>
      <p>{t("tokens.issued.text")}</p>
      <Field label={t("tokens.issued.token")}>
        {(control) => (
          <span className="secret">
            <input
              {...control}
              className="input"
              readOnly
              value={token}
              onFocus={({ target }) => {
                target.select();
              }}
            />
            <CopyButton text={token} />
          </span>
        )}
      </Field>
      <div className="dialog-actions">
        <button type="button" className="button primary" onClick={onClose}>
          {t("tokens.issued.done")}
        </button>
      </div>
    </Dialog>
  );
}
