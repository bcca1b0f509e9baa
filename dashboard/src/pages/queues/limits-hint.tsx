import type { ReactNode } from "react";
import type { Limits } from "../../../../src/core/queue-limits.js";
import type { QueueView } from "../../api/types.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { spanOf } from "../../ui/time-units.js";

/** What may run and start, in a few words: `20 at once · 100/s`. */
export function LimitsHint({ queue }: { readonly queue: QueueView }): ReactNode {
  const texts = useTexts();
  const keyed = partsOf(queue.perKey, texts).join(", ");
  const parts = partsOf(queue, texts);
  if (keyed !== "") parts.push(texts.t("queue.hint.keys", { limits: keyed }));
  return parts.length === 0 ? null : <span className="second-line">{parts.join(" · ")}</span>;
}

function partsOf({ concurrency, rateLimit }: Limits, { t, format }: Texts): string[] {
  const parts: string[] = [];
  if (concurrency !== null) parts.push(t("queue.hint.concurrency", { max: format.number(concurrency) }));
  if (rateLimit !== null) {
    const { amount, unit } = spanOf(rateLimit.perMs);
    const per = t(`unit.${unit}`, { n: amount === "1" ? "" : format.decimal(Number(amount)) }).trim();
    parts.push(`${format.compact(rateLimit.max)}/${per}`);
  }
  return parts;
}
