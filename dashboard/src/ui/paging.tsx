import type { ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { useTexts } from "../i18n/text.js";
import { useParameterLinks } from "../shell/search-parameters.js";

/** The way to the next page of a list, and back to the first one; nothing where all is on one page. */
export function Paging({
  nextCursor,
  note,
}: {
  readonly nextCursor: string | null;
  readonly note?: string;
}): ReactNode {
  const { t } = useTexts();
  const linkWith = useParameterLinks();
  const [parameters] = useSearchParams();
  const isFirst = parameters.get("cursor") === null;
  if (isFirst && nextCursor === null) return null;
  return (
    <nav className="toolbar paging">
      {note !== undefined && <span className="muted">{note}</span>}
      {!isFirst && (
        <Link className="button" href={linkWith("cursor", null)}>
          {t("list.firstPage")}
        </Link>
      )}
      {nextCursor !== null && (
        <Link className="button" href={linkWith("cursor", nextCursor)}>
          {t("list.nextPage")}
        </Link>
      )}
    </nav>
  );
}
