import { useState, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useDeadCount } from "../../shell/dead-count.js";
import { usePageTitle } from "../../shell/page-title.js";
import { useTexts } from "../../i18n/text.js";
import { Icon } from "../../ui/icon.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { DeadFilterBar } from "./dead-filter-bar.js";
import { DeadHeader } from "./dead-header.js";
import { deadFilterOf, useDeadGroups, type DeadFilter } from "./dead-queries.js";
import { Elsewhere } from "./elsewhere.js";
import { FlatList } from "./flat-list.js";
import { GroupDialogs } from "./group-dialogs.js";
import { GroupTable } from "./group-table.js";
import { useGroupWork } from "./use-group-work.js";
import { WaitingNote } from "./waiting-note.js";

const FIRST_GROUPS = 100;
const MOST_GROUPS = 500;

/** Dead jobs by what they died of. */
export function DeadPage(): ReactNode {
  const { t } = useTexts();
  const [parameters] = useSearchParams();
  const filter = deadFilterOf(parameters);
  const total = useDeadCount();
  usePageTitle([t("nav.dead")], total > 0 ? t("title.dead", { count: total }) : null);
  return (
    <div className="page">
      <DeadHeader filter={filter} />
      <DeadFilterBar filter={filter} />
      <Elsewhere filter={filter} />
      <WaitingNote filter={filter} />
      <Groups filter={filter} />
    </div>
  );
}

function Groups({ filter }: { readonly filter: DeadFilter }): ReactNode {
  const { t } = useTexts();
  const [limit, setLimit] = useState(FIRST_GROUPS);
  const work = useGroupWork();
  const { data, error, refetch, isPlaceholderData } = useDeadGroups(filter, limit);
  if (data === null) return <FlatList filter={filter} />;
  return (
    <>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <div className="card skeleton dead-loading" />}
      {data !== undefined && (
        <GroupTable
          // Another filter is another list, in an order of its own.
          key={isPlaceholderData ? "before" : JSON.stringify([filter, limit])}
          groups={data.items}
          filter={filter}
          complete={!data.more}
          work={work}
          empty={<Empty filter={filter} />}
        />
      )}
      {data?.more === true && limit < MOST_GROUPS && (
        <button
          type="button"
          className="button"
          onClick={() => {
            setLimit(MOST_GROUPS);
          }}
        >
          {t("dead.showMore")}
        </button>
      )}
      <GroupDialogs work={work} />
    </>
  );
}

function Empty({ filter: { queue, name } }: { readonly filter: DeadFilter }): ReactNode {
  const { t } = useTexts();
  const [, setParameters] = useSearchParams();
  if (queue !== "" || name !== "") {
    return (
      <div className="card empty">
        <p>{name === "" ? t("dead.noMatch") : `${t("dead.noMatch")} ${t("dead.exact")}`}</p>
        <button
          type="button"
          className="button"
          onClick={() => {
            setParameters(new URLSearchParams());
          }}
        >
          {t("dead.clear")}
        </button>
      </div>
    );
  }
  return (
    <div className="card empty dead-empty">
      <span className="dead-empty-mark">
        <Icon name="check" />
      </span>
      <h2>{t("dead.empty")}</h2>
      <p>{t("dead.empty.more")}</p>
    </div>
  );
}
