import { useCallback, type ReactNode } from "react";
import { Link } from "wouter";
import { asProblem } from "../api/problem.js";
import { faultText } from "../i18n/faults.js";
import { useTexts } from "../i18n/text.js";
import { useParameterLinks } from "../shell/search-parameters.js";
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
  const linkWith = useParameterLinks();
  const isOldPlace = problem.code === "bad_cursor";
  const isInVain = isOldPlace || problem.code === "forbidden" || problem.code === "queue_not_allowed";
  return (
    <div className="notice bad" role="alert">
      <span className="spacer">
        <strong>{t("error.title")}.</strong> <span className="job-text">{text}</span>{" "}
        {problem.requestId !== null && (
          <span className="muted">{t("error.request", { id: problem.requestId })}</span>
        )}
      </span>
      {isOldPlace && (
        <Link href={linkWith("cursor", null)} className="button">
          {t("error.firstPage")}
        </Link>
      )}
      {retry !== undefined && !isInVain && (
        <button type="button" className="button" onClick={retry}>
          {t("error.retry")}
        </button>
      )}
    </div>
  );
}

/** Says an error in a sentence. */
export function useProblemText(): (error: unknown) => string {
  const { t, has, language } = useTexts();
  return useCallback(
    (error) => {
      const { code, message: detail } = asProblem(error);
      const key = `error.${code}`;
      return has(key) ? t(key as "error.timeout") : visible(faultText(language, { code, detail }));
    },
    [t, has, language],
  );
}
