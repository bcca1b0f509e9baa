import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { read } from "../../api/request.js";
import type { FindingsView, FindingView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { Icon, type IconName } from "../../ui/icon.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { Age } from "../../ui/time.js";
import { DeadNow } from "./dead-now.js";
import { FindingText, findingPath } from "./finding-text.js";

const TONES: Record<FindingView["severity"], { readonly tone: Tone; readonly icon: IconName }> = {
  critical: { tone: "bad", icon: "dead" },
  warning: { tone: "warn", icon: "dead" },
  info: { tone: "neutral", icon: "clock" },
};

/** Those that are seen at once, so that the numbers below stay in sight. The worst come first. */
const SHOWN = 4;

/** What is wrong, in sentences; one calm line when nothing is. */
export function Findings(): ReactNode {
  const { t } = useTexts();
  const [all, setAll] = useState(false);
  const { data, error, refetch } = useLiveQuery(
    ["findings"],
    (signal) => read<FindingsView>("/v1/health/findings", {}, signal),
    { topics: ["jobs", "queues", "schedules", "workers", "operations"], everyMs: 5_000 },
  );
  if (error !== null && data === undefined) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <div className="skeleton findings-skeleton" />;
  if (data.items.length === 0) {
    return (
      <p className="notice all-good">
        <Icon name="check" />
        {t("overview.allGood")}
      </p>
    );
  }
  // One that is left over would take no more room than the button.
  const isLong = data.items.length > SHOWN + 1;
  const shown = isLong && !all ? data.items.slice(0, SHOWN) : data.items;
  return (
    <section className="card" aria-label={t("overview.findings")}>
      <ul className="findings">
        {shown.map((finding, index) => (
          <Finding key={index} finding={finding} />
        ))}
      </ul>
      {isLong && (
        <button
          type="button"
          className="button quiet findings-more"
          aria-expanded={all}
          onClick={() => {
            setAll(!all);
          }}
        >
          <Icon name={all ? "up" : "down"} />
          {all
            ? t("overview.fewerFindings")
            : t("overview.moreFindings", { count: data.items.length - SHOWN })}
        </button>
      )}
    </section>
  );
}

function Finding({ finding }: { readonly finding: FindingView }): ReactNode {
  const { t, rich } = useTexts();
  const { tone, icon } = TONES[finding.severity];
  const path = findingPath(finding);
  return (
    <li>
      <Badge tone={tone} icon={icon}>
        {t(`severity.${finding.severity}`)}
      </Badge>
      <span className="finding-text">
        <FindingText finding={finding} />
        {finding.code === "dead_recently" && <DeadNow finding={finding} />}
        {/* How long a queue has stood still is what its sentence says. */}
        {finding.since !== null && finding.code !== "queue_stalled" && (
          <span className="muted"> · {rich("overview.since", { age: <Age since={finding.since} /> })}</span>
        )}
      </span>
      {path !== null && (
        <Link href={path} className="button">
          {t("finding.show")}
        </Link>
      )}
    </li>
  );
}
