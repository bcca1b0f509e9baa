import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FlowView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { flowPath } from "../../shell/routes.js";
import { StackingTable } from "../../ui/table-card.js";
import { Age, Duration, RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { FlowBar, FlowStateBadge } from "./flow-state.js";

export function FlowTable({ flows }: { readonly flows: readonly FlowView[] }): ReactNode {
  const { t } = useTexts();
  return (
    <StackingTable
      caption={t("nav.flows")}
      columns={[
        { title: t("flows.column.name") },
        { title: t("flows.column.state") },
        { title: t("flows.column.jobs") },
        { title: t("flows.column.made") },
        { title: t("flows.column.took"), isNumber: true },
      ]}
    >
      {flows.map((flow) => (
        <Row key={flow.id} flow={flow} />
      ))}
    </StackingTable>
  );
}

function Row({ flow }: { readonly flow: FlowView }): ReactNode {
  const { t } = useTexts();
  const { id, name, state, counts, createdAt, finishedAt } = flow;
  const { dead, cancelled } = counts;
  const wrong = [
    dead > 0 ? t("flows.dead", { count: dead }) : null,
    cancelled > 0 ? t("flows.cancelled", { count: cancelled }) : null,
  ].filter((text) => text !== null);
  return (
    <tr>
      <th scope="row">
        <span className="cell-line">
          <Link href={flowPath(id)} className="job-text row-link" translate="no" dir="auto">
            {visible(name)}
          </Link>
          <span className="muted">#{id}</span>
        </span>
      </th>
      <td data-label={t("flows.column.state")}>
        <FlowStateBadge state={state} />
      </td>
      <td data-label={t("flows.column.jobs")}>
        <div className="lines">
          <FlowBar counts={counts} />
          {wrong.length > 0 && <span className="second-line">{wrong.join(", ")}</span>}
        </div>
      </td>
      <td data-label={t("flows.column.made")}>
        <RelativeTime at={createdAt} />
      </td>
      <td className="number" data-label={t("flows.column.took")}>
        {finishedAt === null ? (
          <Age since={createdAt} />
        ) : (
          <Duration ms={Date.parse(finishedAt) - Date.parse(createdAt)} />
        )}
      </td>
    </tr>
  );
}
