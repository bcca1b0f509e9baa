import { useState, type SubmitEvent, type ReactNode } from "react";
import { send } from "../api/request.js";
import { useTexts } from "../i18n/text.js";
import { Dialog } from "../ui/dialog.js";
import { useProblemText } from "../ui/problem-note.js";
import { asProblem } from "../api/problem.js";
import { signedIn, useSignedIn } from "./session.js";

/** Comes over the page when the session is over; the page and its filter stay as they are. */
export function SignIn(): ReactNode {
  return useSignedIn() ? null : <SignInDialog />;
}

function SignInDialog(): ReactNode {
  const { t } = useTexts();
  const problemText = useProblemText();
  const [token, setToken] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const signIn = async (): Promise<void> => {
    setBusy(true);
    try {
      await send("/v1/session", { method: "POST", body: { token: token.trim() } });
      signedIn();
    } catch (error) {
      setFault(asProblem(error).code === "unauthorized" ? t("signIn.wrong") : problemText(error));
      setBusy(false);
    }
  };

  return (
    <Dialog title={t("signIn.title")} dismissable={false} onClose={() => undefined}>
      <p className="muted">{t("signIn.lead")}</p>
      <form
        className="dialog-form"
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void signIn();
        }}
      >
        {/* For password managers, which want to know whose password this is. */}
        <input type="text" name="username" autoComplete="username" value="token" readOnly hidden />
        <div className="field">
          <label htmlFor="sign-in-token">{t("signIn.token")}</label>
          <input
            id="sign-in-token"
            className="input"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            value={token}
            aria-invalid={fault !== null}
            aria-describedby="sign-in-fault"
            onChange={({ target }) => {
              setToken(target.value);
            }}
          />
          <span id="sign-in-fault" className="fault" role="alert">
            {fault}
          </span>
        </div>
        <p className="muted">{t("signIn.hint")}</p>
        <div className="dialog-actions">
          <button type="submit" className="button primary" disabled={busy || token.trim() === ""}>
            {t("signIn.submit")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
