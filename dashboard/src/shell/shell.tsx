import type { FocusEvent, ReactNode } from "react";
import { useLocation } from "wouter";
import { useTexts } from "../i18n/text.js";
import { ErrorBoundary } from "../ui/error-boundary.js";
import { Toasts } from "../ui/toasts.js";
import { DisplayMenu } from "./display-menu.js";
import { EnvironmentBadge } from "./environment-badge.js";
import { GlobalShortcuts } from "./go-to.js";
import { LivePill, UpdateNotice } from "./live-pill.js";
import { Navigation, NavigationButton } from "./navigation.js";
import { NewJobButton } from "./new-job-button.js";
import { PageNews } from "./page-news.js";
import { SearchBox } from "./search-box.js";
import { ShortcutList } from "./shortcut-list.js";
import { SignIn } from "./sign-in.js";

/** Browsers leave what is half beyond the edge of a graph, or of a row of tabs, where it is when the focus comes to it. */
function bringIntoSight({ target }: FocusEvent<HTMLElement>): void {
  // Not under the pointer: a press would let go of something else than it began on.
  if (!target.matches(":focus-visible") || target.parentElement?.closest(".graph, .tabs") == null) return;
  target.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** What is around every page. */
export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const { t } = useTexts();
  const [path] = useLocation();
  return (
    <>
      <a
        className="button skip-link"
        href="#content"
        // The link itself would lead to another page: addresses in the document begin at its base element's.
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
      >
        {t("shell.skip")}
      </a>
      <div className="shell">
        <Navigation />
        <div>
          <header className="top-bar">
            <NavigationButton />
            <SearchBox />
            <div className="right">
              <EnvironmentBadge />
              <LivePill />
              <NewJobButton />
              <DisplayMenu />
            </div>
          </header>
          <main id="content" tabIndex={-1} onFocus={bringIntoSight}>
            <UpdateNotice />
            <ErrorBoundary place={path}>{children}</ErrorBoundary>
          </main>
        </div>
      </div>
      <PageNews />
      <GlobalShortcuts />
      <ShortcutList />
      <SignIn />
      <Toasts />
    </>
  );
}
