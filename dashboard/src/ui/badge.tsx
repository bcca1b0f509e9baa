import type { ReactNode } from "react";
import type { JobState } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { Icon, type IconName } from "./icon.js";

const ICONS: Record<string, IconName> = {
  blocked: "lock",
  scheduled: "clock",
  pending: "minus",
  running: "play",
  completed: "check",
  dead: "cross",
  cancelled: "close",
} satisfies Record<JobState, IconName>;

/** A state by shape, word and colour. A state that this page does not know yet is shown as the server calls it. */
export function StateBadge({ state }: { readonly state: string }): ReactNode {
  const { t, has } = useTexts();
  const key = `state.${state}`;
  return (
    <span className={`badge ${state}`}>
      <Icon name={ICONS[state] ?? "minus"} />
      {has(key) ? t(key as "state.dead") : state}
    </span>
  );
}

export type Tone = "good" | "bad" | "warn" | "accent" | "neutral";

export function Badge({
  tone,
  icon,
  children,
}: {
  tone: Tone;
  icon?: IconName;
  children: ReactNode;
}): ReactNode {
  return (
    <span className={`badge ${tone}`}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </span>
  );
}
