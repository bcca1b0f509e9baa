import { QueryClientProvider } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link, Route, Router, Switch } from "wouter";
import { TextProvider, useTexts } from "./i18n/text.js";
import { LiveProvider } from "./live/live.js";
import { MetricsPage } from "./pages/metrics/metrics-page.js";
import { DeadPage } from "./pages/dead/dead-page.js";
import { JobPage } from "./pages/job/job-page.js";
import { JobsPage } from "./pages/jobs/jobs-page.js";
import { FlowPage } from "./pages/flow/flow-page.js";
import { FlowsPage } from "./pages/flows/flows-page.js";
import { OverviewPage } from "./pages/overview/overview-page.js";
import { QueuePage } from "./pages/queues/queue-page.js";
import { QueuesPage } from "./pages/queues/queues-page.js";
import { SchedulePage } from "./pages/schedules/schedule-page.js";
import { SchedulesPage } from "./pages/schedules/schedules-page.js";
import { IssuedTokens } from "./pages/settings/issued-tokens.js";
import { SettingsPage } from "./pages/settings/settings-page.js";
import { WorkersPage } from "./pages/workers/workers-page.js";
import { createQueryClient } from "./query-client.js";
import { ReadersOnly } from "./shell/readers-only.js";
import { usePageTitle } from "./shell/page-title.js";
import { Shell } from "./shell/shell.js";
import { BrokenPage, ErrorBoundary } from "./ui/error-boundary.js";

/** Where the dashboard lies on its host, without a slash at the end. */
const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

export function App(): ReactNode {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <TextProvider>
        <LiveProvider>
          <Router base={BASE}>
            <ErrorBoundary fallback={<BrokenPage />}>
              <Shell>
                <ReadersOnly>
                  <Pages />
                </ReadersOnly>
              </Shell>
            </ErrorBoundary>
            <IssuedTokens />
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
      <Route path="/queues" component={QueuesPage} />
      <Route path="/queues/*" component={QueuePage} />
      <Route path="/metrics-ui" component={MetricsPage} />
      <Route path="/schedules" component={SchedulesPage} />
      <Route path="/schedules/:key" component={SchedulePage} />
      <Route path="/workers" component={WorkersPage} />
      <Route path="/settings" component={SettingsPage} />
      <Route path="/jobs/:id" component={JobPage} />
      <Route path="/flows" component={FlowsPage} />
      <Route path="/flows/:id" component={FlowPage} />
      <Route path="/dead" component={DeadPage} />
      <Route path="/jobs" component={JobsPage} />
      <Route component={NoSuchPage} />
    </Switch>
  );
}

function NoSuchPage(): ReactNode {
  const { t } = useTexts();
  usePageTitle([t("shell.noPage")]);
  return (
    <div className="empty">
      <h1>{t("shell.notFound")}</h1>
      <Link href="/">{t("shell.toOverview")}</Link>
    </div>
  );
}
