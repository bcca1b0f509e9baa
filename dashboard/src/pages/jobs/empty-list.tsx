import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTexts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { visible } from "../../ui/visible.js";
import { termsOf, withoutTerm } from "../../filter/filter-text.js";
import type { JobsFilter } from "./jobs-url.js";
import { bareWordOf, payloadSearch, wordSearches } from "./word-searches.js";

/** Why there are no rows: no job is in this state, or none matches the filter. */
export function EmptyList({ filter }: { readonly filter: JobsFilter }): ReactNode {
  return filter.rest === "" ? <NoneInState filter={filter} /> : <NoneMatch filter={filter} />;
}

function NoneInState({ filter: { state, cursor } }: { readonly filter: JobsFilter }): ReactNode {
  const { t } = useTexts();
  return (
    <div className="empty">
      <p>{cursor !== null ? t("jobs.empty.page") : t(`jobs.empty.${state ?? "any"}`)}</p>
      <Link href={jobsPath("")}>{t("jobs.empty.toAll")}</Link>
    </div>
  );
}

function NoneMatch({ filter }: { readonly filter: JobsFilter }): ReactNode {
  const { t, rich } = useTexts();
  const { q, tab, rest } = filter;
  const terms = termsOf(q);
  const word = bareWordOf(rest);
  return (
    <div className="empty">
      <p>{tab === null ? t("jobs.empty.filter") : t("jobs.empty.filterInState")}</p>
      {word !== null && <Elsewhere word={word} />}
      <ul className="empty-ways">
        {terms.length > 1 &&
          terms.map(({ text }, index) => (
            <li key={index}>
              <Link href={jobsPath(withoutTerm(q, index), tab ?? undefined)}>
                {rich("jobs.empty.without", {
                  term: (
                    <code className="job-text" translate="no">
                      {visible(text)}
                    </code>
                  ),
                })}
              </Link>
            </li>
          ))}
        {tab !== null && (
          <li>
            <Link href={jobsPath(rest)}>{t("jobs.empty.anyState")}</Link>
          </li>
        )}
        <li>
          <Link href={jobsPath("")}>{t("jobs.empty.toAll")}</Link>
        </li>
      </ul>
    </div>
  );
}

/** A word is looked for in names only; this says how to look for it elsewhere. */
function Elsewhere({ word }: { readonly word: string }): ReactNode {
  const { t, rich } = useTexts();
  const code = (text: string): ReactNode => (
    <code className="job-text" translate="no">
      {visible(text)}
    </code>
  );
  return (
    <>
      <p>{t("jobs.empty.word")}</p>
      <ul className="empty-ways">
        {wordSearches(word).map((filter) => (
          <li key={filter}>
            <Link href={jobsPath(filter)}>{code(filter)}</Link>
          </li>
        ))}
      </ul>
      <p>{rich("jobs.empty.payload", { filter: code(payloadSearch(word)) })}</p>
    </>
  );
}
