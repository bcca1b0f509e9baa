import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { useSelf } from "../api/queries.js";
import { read } from "../api/request.js";
import type { JobPageView, JobView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { useLiveQuery } from "../live/use-live-query.js";
import { jobPath } from "../shell/routes.js";
import { StateBadge } from "./badge.js";
import { CopyButton } from "./copy.js";
import { curlSnippet, firstQueue, pythonSnippet, typeScriptSnippet } from "./first-run-snippets.js";
import { endFirstRun } from "./first-run-state.js";
import { FIRST_STEPS, stepOf, subjectOf } from "./first-run-steps.js";
import { Icon } from "./icon.js";
import { visible } from "./visible.js";

const LOOKED_AT = 20;

/** What to do with a server that has no jobs yet. It follows the first ones, so one sees that it works. */
export function FirstRun(): ReactNode {
  const { t } = useTexts();
  const { data } = useLiveQuery(
    ["first-run"],
    (signal) => read<JobPageView>("/v1/jobs", { limit: LOOKED_AT }, signal),
    { topics: ["jobs"] },
  );
  const jobs = data?.items ?? [];
  const now = stepOf(jobs);
  // What has been reached stays so, whatever becomes of the jobs.
  const [reached, setReached] = useState(now);
  if (now > reached) setReached(now);
  const server = document.baseURI.replace(/\/$/, "");
  const queue = firstQueue(useSelf().data?.queues ?? null);
  return (
    <section className="card first-run" aria-labelledby="first-run-title">
      <div className="card-body">
        <h2 id="first-run-title">{t("firstRun.title")}</h2>
        <Progress reached={reached} />
        <Status reached={reached} job={subjectOf(jobs, reached)} />
        <div className="first-part">
          <h3>{t("firstRun.enqueue")}</h3>
          <p className="muted">{t("firstRun.token")}</p>
          <Snippet title="curl" text={curlSnippet(server, queue)} />
        </div>
        <div className="first-part">
          <h3>{t("firstRun.work")}</h3>
          <p className="muted">{t("firstRun.workLead")}</p>
        </div>
        <div className="snippets">
          <div className="first-part">
            <Snippet title="TypeScript" text={typeScriptSnippet(server, queue)} />
            <RunIt text="firstRun.typescript" file="worker.mts" command="npx tsx worker.mts" />
          </div>
          <div className="first-part">
            <Snippet title="Python" text={pythonSnippet(server, queue)} />
            <RunIt
              text="firstRun.python"
              file="examples/python/konveier_worker.py"
              command="python3 worker.py"
            />
          </div>
        </div>
      </div>
    </section>
  );
}

/** The steps of a new server, with those that it has come to. */
function Progress({ reached }: { readonly reached: number }): ReactNode {
  const { t } = useTexts();
  return (
    <ol className="first-steps">
      {FIRST_STEPS.map((step, index) => (
        <li
          key={step}
          className={index <= reached ? "done" : ""}
          aria-current={index === reached + 1 ? "step" : undefined}
        >
          <span className="first-mark" aria-hidden="true">
            {index <= reached ? <Icon name="check" /> : index + 1}
          </span>
          {t(`firstRun.step.${step}`)}
          {index <= reached && <span className="visually-hidden">{t("firstRun.done")}</span>}
        </li>
      ))}
    </ol>
  );
}

/** What is waited for; in the end, the way on. */
function Status({
  reached,
  job,
}: {
  readonly reached: number;
  readonly job: JobView | undefined;
}): ReactNode {
  const { t, rich } = useTexts();
  const isOver = reached === FIRST_STEPS.length - 1;
  return (
    <div className="first-status">
      <p className={isOver ? "waiting arrived" : "waiting"} role="status">
        {job === undefined
          ? t(isOver ? "firstRun.over" : reached > 0 ? "firstRun.next" : "firstRun.waiting")
          : rich(isOver ? "firstRun.finished" : reached === 1 ? "firstRun.arrived" : "firstRun.taken", {
              link: (
                <Link href={jobPath(job.id)} className="job-text" translate="no">
                  {visible(job.name)} #{job.id}
                </Link>
              ),
              state: <StateBadge state={job.state} />,
            })}
      </p>
      {reached > 0 && (
        <button type="button" className={isOver ? "button primary" : "button"} onClick={endFirstRun}>
          {t("firstRun.close")}
        </button>
      )}
    </div>
  );
}

/** How a snippet is run, with a file and a command in it. */
function RunIt({
  text,
  file,
  command,
}: {
  readonly text: "firstRun.typescript" | "firstRun.python";
  readonly file: string;
  readonly command: string;
}): ReactNode {
  const { rich } = useTexts();
  return (
    <p className="hint">
      {rich(text, {
        file: <code translate="no">{file}</code>,
        command: <code translate="no">{command}</code>,
      })}
    </p>
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
