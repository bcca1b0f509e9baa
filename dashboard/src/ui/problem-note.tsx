import { useCallback, type ReactNode } from "react";
import { asProblem } from "../api/problem.js";
import { useTexts } from "../i18n/text.js";
import { visible } from "./visible.js";

/** What went wrong, in the reader's language where the code is known, and what to do. */
export function ProblemNote({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}): ReactNode {
  const { t } = useTexts();
  const problem = asProblem(error);
  const text = useProblemText()(error);
  return (
    <div className="notice bad" role="alert">
      <span className="spacer">
        <strong>{t("error.title")}.</strong> <span className="job-text">{text}</span>{" "}
        {problem.requestId !== null && (
          <span className="muted">{t("error.request", { id: problem.requestId })}</span>
        )}
      </span>
      {retry !== undefined && (
        <button type="button" className="button" onClick={retry}>
          {t("error.retry")}
        </button>
      )}
    </div>
  );
}

/** Says an error in a sentence. */
export function useProblemText(): (error: unknown) => string {
  const { t, has } = useTexts();
  return useCallback(
    (error) => {
      const problem = asProblem(error);
      const key = `error.${problem.code}`;
      return has(key) ? t(key as "error.timeout") : visible(problem.message);
    },
    [t, has],
  );
}
