import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import type { JobPageView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { useShortcut } from "../../shell/shortcuts.js";
import { Icon } from "../../ui/icon.js";
import { PAGE_SIZES, setListPreferences, useListPreferences } from "./columns.js";
import type { JobsFilter } from "./jobs-url.js";

/** The cursors of the pages before this one; `null` is the first page. Kept with the entry of the browser's history. */
interface Walk {
  readonly before?: readonly (string | null)[];
}

interface Pages {
  readonly toNext: (() => void) | null;
  readonly toPrevious: (() => void) | null;
}

function usePages(filter: JobsFilter, page: JobPageView | undefined): Pages {
  const [, navigate] = useLocation();
  const before = (useHistoryState<Walk | null>()?.before ?? []).slice(-1_000);
  const go = (cursor: string | null, walk: readonly (string | null)[]): void => {
    navigate(jobsPath(filter.q, filter.tab ?? undefined, cursor), { state: { before: walk } satisfies Walk });
    scrollTo({ top: 0 });
  };
  const next = page?.nextCursor ?? null;
  // Who came by a link knows no way back but the first page.
  const previous = before.at(-1) ?? null;
  return {
    toNext:
      next === null
        ? null
        : () => {
            go(next, [...before, filter.cursor]);
          },
    toPrevious:
      filter.cursor === null
        ? null
        : () => {
            go(previous, before.slice(0, -1));
          },
  };
}

/** What was looked at, the way to the other pages, and how large pages are. */
export function Pager({
  filter,
  page,
}: {
  readonly filter: JobsFilter;
  readonly page: JobPageView | undefined;
}): ReactNode {
  const { t, format } = useTexts();
  const { limit } = useListPreferences();
  const { toNext, toPrevious } = usePages(filter, page);
  useShortcut("BracketRight", () => toNext?.());
  useShortcut("BracketLeft", () => toPrevious?.());
  return (
    <footer className="pager">
      <ScanNote page={page} onContinue={toNext} />
      <label className="pager-size">
        <span className="label">{t("jobs.pageSize")}</span>
        <select
          className="input"
          value={limit}
          onChange={({ target }) => {
            setListPreferences({ limit: Number(target.value) });
          }}
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {format.number(size)}
            </option>
          ))}
        </select>
      </label>
      <nav className="toolbar" aria-label={t("jobs.pages")}>
        <PageButton icon="left" text={t("jobs.previous")} go={toPrevious} />
        <PageButton icon="right" text={t("jobs.next")} go={toNext} />
      </nav>
    </footer>
  );
}

function PageButton({
  icon,
  text,
  go,
}: {
  readonly icon: "left" | "right";
  readonly text: string;
  readonly go: (() => void) | null;
}): ReactNode {
  return (
    <button
      type="button"
      className="button"
      disabled={go === null}
      onClick={() => {
        go?.();
      }}
    >
      {icon === "left" && <Icon name={icon} />}
      {text}
      {icon === "right" && <Icon name={icon} />}
    </button>
  );
}

/** A search without an index: how far it went, and on from there. */
function ScanNote({
  page,
  onContinue,
}: {
  readonly page: JobPageView | undefined;
  readonly onContinue: (() => void) | null;
}): ReactNode {
  const { t, format } = useTexts();
  const scan = page?.scan ?? null;
  if (scan === null) return <span className="scan-note" />;
  const { examined: count, until, complete } = scan;
  const back = until === null ? null : Date.parse(until);
  return (
    <span className="scan-note muted">
      {complete || back === null
        ? t("jobs.scan.complete", { count })
        : t("jobs.scan.until", { count, time: `${format.day(back)} ${format.clock(back)}` })}
      {!complete && onContinue !== null && (
        <button type="button" className="button" onClick={onContinue}>
          {t("jobs.scan.continue")}
        </button>
      )}
    </span>
  );
}
