import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FlowLinkView } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { jobPath } from "../shell/routes.js";
import { StateBadge } from "./badge.js";
import { visible } from "./visible.js";

/** Jobs on the other side of a dependency, with their states, and what it means when one does not complete. */
export function DependencyList({
  links,
  more,
}: {
  readonly links: readonly FlowLinkView[];
  /** How many there are besides. */
  readonly more: number;
}): ReactNode {
  const { t } = useTexts();
  return (
    <ul className="dependency-list">
      {links.map((link) => (
        <li key={link.id}>
          <Link href={jobPath(link.id)} className="job-text" translate="no" dir="auto">
            {visible(link.ref)}
          </Link>
          <StateBadge state={link.state} />
          <OnFailure link={link} />
        </li>
      ))}
      {more > 0 && <li className="muted">{t("flow.more", { count: more })}</li>}
    </ul>
  );
}

function OnFailure({ link: { state, onFailure, resolved } }: { readonly link: FlowLinkView }): ReactNode {
  const { t } = useTexts();
  if (onFailure === "cancel") return null;
  const waits = !resolved && (state === "dead" || state === "cancelled");
  return <span className="muted">{t(waits ? "flow.waitsForRetry" : `flow.onFailure.${onFailure}`)}</span>;
}
