import type { ReactNode } from "react";
import { useTexts } from "../i18n/text.js";
import { serverNow, useServerNow } from "../live/clock.js";

/**
 * How long ago, or until when; the date, the time and the zone when one points at it.
 *
 * @param due whether it is when something is to happen: at its time that is about to, and has not just been
 */
export function RelativeTime({
  at,
  due = false,
}: {
  readonly at: string;
  readonly due?: boolean;
}): ReactNode {
  const { relative, untilDue, format } = useTexts();
  const now = useServerNow();
  const instant = Date.parse(at);
  return (
    <time dateTime={at} title={format.instant(instant)}>
      {due ? untilDue(instant, now) : relative(instant, now)}
    </time>
  );
}

/** Date, time and zone. */
export function AbsoluteTime({ at }: { readonly at: string }): ReactNode {
  const { format } = useTexts();
  return (
    <time dateTime={at} title={at}>
      {format.instant(Date.parse(at))}
    </time>
  );
}

/** How long something has gone on. */
export function Age({ since }: { readonly since: string }): ReactNode {
  const { roughly, format } = useTexts();
  const now = useServerNow();
  const began = Date.parse(since);
  return (
    <time dateTime={since} title={format.instant(began)}>
      {roughly(now - began)}
    </time>
  );
}

export function Duration({ ms }: { readonly ms: number | null }): ReactNode {
  const { duration } = useTexts();
  return ms === null ? <span className="muted">–</span> : duration(ms);
}

/** Day and clock, for rows of times; date, time and zone when one points at it. */
export function ClockTime({ at }: { readonly at: string }): ReactNode {
  const { format } = useTexts();
  const instant = Date.parse(at);
  return (
    <time dateTime={at} title={format.instant(instant)}>
      {format.dayFrom(instant, serverNow())} {format.clock(instant)}
    </time>
  );
}
