import type { ReactNode } from "react";
import type { BulkAction, JobView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { StateBadge } from "./badge.js";
import { BulkErrors } from "./bulk-errors.js";
import type { PreviewedBulk } from "./bulk-target.js";
import { diedForGood } from "./died-for-good.js";
import { useUnservedWarning } from "./unserved-note.js";
import { visible } from "./visible.js";

const SAMPLES = 5;

/** What an action on many jobs would do: how many of which state, some of them, and what to know before. */
export function BulkPreview({
  action,
  previewed,
}: {
  readonly action: BulkAction;
  readonly previewed: PreviewedBulk;
}): ReactNode {
  const { t, format } = useTexts();
  const { preview, states, errors, skipped, gone } = previewed;
  if (preview.matched === 0)
    return <p>{gone > 0 && skipped === 0 ? t("bulk.gone") : t(`bulk.none.${action}`)}</p>;
  const counts = Object.entries(states).filter(([, { count }]) => count > 0);
  return (
    <>
      <p>{t(`bulk.effect.${action}`)}</p>
      {counts.length > 0 && (
        <ul className="bulk-states" aria-label={t("bulk.byState")}>
          {counts.map(([state, { count, capped }]) => (
            <li key={state}>
              <StateBadge state={state} />{" "}
              <strong>
                {capped ? t("jobs.orMore", { number: format.number(count) }) : format.number(count)}
              </strong>
            </li>
          ))}
        </ul>
      )}
      <Warnings action={action} previewed={previewed} />
      {errors !== null && errors.length > 0 ? (
        <BulkErrors groups={errors} />
      ) : (
        <Samples jobs={preview.samples} />
      )}
    </>
  );
}

function Samples({ jobs }: { readonly jobs: readonly JobView[] }): ReactNode {
  const { t } = useTexts();
  return (
    <div>
      <h3>{t("bulk.samples")}</h3>
      <ul className="bulk-samples">
        {jobs.slice(0, SAMPLES).map(({ id, name, queue, state }) => (
          <li key={id}>
            <span className="job-text" translate="no">
              {id} · {visible(name)} · {visible(queue)}
            </span>
            <StateBadge state={state} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Warnings({
  action,
  previewed: { preview, states, skipped, gone, jobs },
}: {
  readonly action: BulkAction;
  readonly previewed: PreviewedBulk;
}): ReactNode {
  const { t } = useTexts();
  const running = states.running?.count ?? 0;
  const unserved = useUnservedWarning(jobs);
  const final = jobs.filter(diedForGood).length;
  const warnings = [
    final === 0
      ? null
      : t(preview.matched > jobs.length ? "bulk.warn.finalAtLeast" : "bulk.warn.final", { count: final }),
    action === "cancel" && running > 0 ? t("bulk.warn.running", { count: running }) : null,
    skipped !== null && skipped > 0 ? t("bulk.warn.skipped", { count: skipped }) : null,
    gone > 0 ? t("bulk.warn.gone", { count: gone }) : null,
    preview.capped ? t("bulk.warn.capped") : null,
    preview.scan?.complete === false && !preview.capped ? t("bulk.warn.scan") : null,
    action === "delete" ? t("bulk.warn.delete") : null,
  ].filter((text) => text !== null);
  if (warnings.length === 0 && unserved === null) return null;
  return (
    <ul className="notice warn bulk-warnings">
      {unserved !== null && <li>{unserved}</li>}
      {warnings.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
