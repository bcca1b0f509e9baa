import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FlowJobView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath } from "../../shell/routes.js";
import { StateBadge } from "../../ui/badge.js";
import { StackingTable } from "../../ui/table-card.js";
import { visible } from "../../ui/visible.js";
import { DependencyList } from "../../ui/dependency-list.js";

/** Of a job that waits for many, the others are on its own page. */
const LINKS_SHOWN = 5;

/** The jobs of a flow with what they depend on. */
export function FlowJobsTable({ jobs }: { readonly jobs: readonly FlowJobView[] }): ReactNode {
  const { t } = useTexts();
  return (
    <StackingTable
      caption={t("flow.jobs")}
      columns={[
        { title: t("flow.column.ref") },
        { title: t("flow.column.job") },
        { title: t("flows.column.state") },
        { title: t("flow.column.attempt"), isNumber: true },
        { title: t("flow.column.dependsOn") },
      ]}
    >
      {jobs.map((job) => (
        <Row key={job.id} job={job} />
      ))}
    </StackingTable>
  );
}

function Row({ job }: { readonly job: FlowJobView }): ReactNode {
  const { t } = useTexts();
  const { id, ref, name, state, attempt, maxAttempts, dependsOn, dependencies } = job;
  const shown = dependsOn.slice(0, LINKS_SHOWN);
  return (
    <tr>
      <th scope="row">
        <Link href={jobPath(id)} className="job-text row-link" translate="no" dir="auto">
          {visible(ref)}
        </Link>
      </th>
      <td data-label={t("flow.column.job")}>
        <div className="job-text job-cell" translate="no">
          {visible(name)}
        </div>
      </td>
      <td data-label={t("flows.column.state")}>
        <StateBadge state={state} />
      </td>
      <td className="number" data-label={t("flow.column.attempt")}>
        {t("jobs.attempt", { number: attempt, of: maxAttempts })}
      </td>
      <td data-label={t("flow.column.dependsOn")}>
        {dependencies === 0 ? (
          <span className="muted">–</span>
        ) : (
          <DependencyList links={shown} more={dependencies - shown.length} />
        )}
      </td>
    </tr>
  );
}
