import type { ReactNode } from "react";
import { Link } from "wouter";
import { read } from "../api/request.js";
import type { JobPageView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { useLiveQuery } from "../live/use-live-query.js";
import { jobPath } from "../shell/routes.js";
import { StateBadge } from "./badge.js";
import { CopyButton } from "./copy.js";
import { pythonSnippet, curlSnippet, typeScriptSnippet } from "./first-run-snippets.js";
import { Icon } from "./icon.js";
import { visible } from "./visible.js";

/** What to do with a server that has no jobs yet. It follows the first job, so one sees that it works. */
export function FirstRun({ onClose }: { readonly onClose?: () => void }): ReactNode {
  const { t, rich } = useTexts();
  const { data } = useLiveQuery(
    ["first-run"],
    (signal) => read<JobPageView>("/v1/jobs", { limit: 1 }, signal),
    { topics: ["jobs"] },
  );
  const job = data?.items[0];
  const server = document.baseURI.replace(/\/$/, "");
  return (
    <section className="card first-run" aria-labelledby="first-run-title">
      <div className="card-body">
        <h2 id="first-run-title">{job === undefined ? t("firstRun.title") : t("firstRun.titleLater")}</h2>
        <p className="muted">{t("firstRun.lead")}</p>
        <ol>
          <Step done={job !== undefined} title={t("firstRun.enqueue")}>
            <p className="muted">{t("firstRun.token")}</p>
            <Snippet title="curl" text={curlSnippet(server)} />
            <p className={job === undefined ? "waiting" : "waiting arrived"} role="status">
              {job === undefined
                ? t("firstRun.waiting")
                : rich("firstRun.arrived", {
                    link: (
                      <Link href={jobPath(job.id)} className="job-text" translate="no">
                        {visible(job.name)}
                      </Link>
                    ),
                    state: <StateBadge state={job.state} />,
                  })}
            </p>
          </Step>
          <Step done={job?.state === "completed"} title={t("firstRun.work")}>
            <p className="muted">{t("firstRun.workLead")}</p>
            <div className="snippets">
              <Snippet title="TypeScript" text={typeScriptSnippet(server)} />
              <Snippet title="Python" text={pythonSnippet(server)} />
            </div>
            <p className="muted">{t("firstRun.python", { file: "examples/python/konveier_worker.py" })}</p>
          </Step>
        </ol>
        {onClose !== undefined && job !== undefined && (
          <button type="button" className="button" onClick={onClose}>
            {t("firstRun.close")}
          </button>
        )}
      </div>
    </section>
  );
}

function Step({
  done,
  title,
  children,
}: {
  readonly done: boolean;
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode {
  const { t } = useTexts();
  return (
    <li className={done ? "first-step done" : "first-step"}>
      <h3>
        {title} {done && <Icon name="check" />}
        {done && <span className="visually-hidden">{t("firstRun.done")}</span>}
      </h3>
      {children}
    </li>
  );
}

function Snippet({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  const { t } = useTexts();
  return (
    <div className="snippet">
      <div className="snippet-header">
        <span className="label" translate="no">
          {title}
        </span>
        <CopyButton text={text} label={t("firstRun.copy", { title })} />
      </div>
      <pre className="code-block" translate="no" tabIndex={0} role="region" aria-label={title}>
        {text}
      </pre>
    </div>
  );
}
