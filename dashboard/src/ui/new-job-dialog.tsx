import { useState, type ReactNode, type SubmitEvent } from "react";
import { useTexts } from "../i18n/text.js";
import { CopyButton } from "./copy.js";
import { Dialog } from "./dialog.js";
import { NewJobFields } from "./new-job-fields.js";
import { bodyOf, curlOf, randomKey, type NewJob } from "./new-job-request.js";
import { useEnqueue } from "./use-enqueue.js";
import { visible } from "./visible.js";

const EMPTY: NewJob = {
  queue: "",
  name: "",
  payload: "{}",
  delay: "",
  delayUnitMs: 1_000,
  priority: "",
  maxAttempts: "",
  tags: "",
  idempotencyKey: "",
};

/** A form that enqueues one job, and shows the same call as curl. */
export function NewJobDialog({
  queue = "",
  name = "",
  onClose,
}: {
  readonly queue?: string;
  readonly name?: string;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  // The key is made with the form: however often it is sent, it is one job.
  const [job, setJob] = useState<NewJob>(() => ({ ...EMPTY, queue, name, idempotencyKey: randomKey() }));
  const { submit, busy, faults, forget } = useEnqueue(onClose);
  return (
    <Dialog title={t("newJob.title")} wide onClose={onClose}>
      <form
        className="dialog-form new-job"
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void submit(job);
        }}
      >
        <NewJobFields
          job={job}
          faults={faults}
          onChange={(change) => {
            setJob({ ...job, ...change });
            forget(Object.keys(change));
          }}
        />
        <Curl job={job} />
        <span className="fault" role="alert">
          {faults.other}
        </span>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {t("form.cancel")}
          </button>
          <button type="submit" className="button primary" aria-disabled={busy}>
            {t("newJob.submit")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The call as it stands, also while the payload is no JSON yet. */
function Curl({ job }: { readonly job: NewJob }): ReactNode {
  const { t } = useTexts();
  const text = curlOf(new URL("v1/jobs", document.baseURI).href, bodyOf(job));
  return (
    <div>
      <div className="snippet-header">
        <h3>{t("newJob.curl")}</h3>
        <CopyButton text={text} label={t("newJob.copyCurl")} />
      </div>
      <pre
        className="code-block job-text"
        translate="no"
        tabIndex={0}
        aria-label={t("newJob.curl")}
        role="region"
      >
        {visible(text)}
      </pre>
    </div>
  );
}
