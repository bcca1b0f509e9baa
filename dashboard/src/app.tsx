import { QueryClientProvider } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link, Route, Router, Switch } from "wouter";
import { TextProvider, useTexts } from "./i18n/text.js";
import { LiveProvider } from "./live/live.js";
import { JobsPage } from "./pages/jobs/jobs-page.js";
import { OverviewPage } from "./pages/overview/overview-page.js";
import { createQueryClient } from "./query-client.js";
import { Shell } from "./shell/shell.js";

/** Where the dashboard lies on its host, without a slash at the end. */
const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

export function App(): ReactNode {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <TextProvider>
        <LiveProvider>
          <Router base={BASE}>
            <Shell>
              <Pages />
            </Shell>
          </Router>
        </LiveProvider>
      </TextProvider>
    </QueryClientProvider>
  );
}

function Pages(): ReactNode {
  return (
    <Switch>
      <Route path="/" component={OverviewPage} />
      <Route path="/jobs" component={JobsPage} />
      <Route component={NoSuchPage} />
    </Switch>
  );
}

function NoSuchPage(): ReactNode {
  const { t } = useTexts();
  return (
    <div className="empty">
      <h1>{t("shell.notFound")}</h1>
      <Link href="/">{t("shell.toOverview")}</Link>
    </div>
  );
}
