import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem, type Problem } from "../../api/problem.js";
import { send } from "../../api/request.js";
import type { QueueView } from "../../api/types.js";
import { faultText } from "../../i18n/faults.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { toast } from "../../ui/toasts.js";
import { changeOf, limitFieldAt, valuesOf, type LimitField, type LimitValues } from "./limit-values.js";

/** What somebody has begun to write. */
interface Draft {
  readonly values: LimitValues;
  /** The queue when it was begun: what somebody else has changed since is not overwritten. */
  readonly base: QueueView;
}

export interface LimitsEdit {
  readonly values: LimitValues;
  /** What the server says of each field. */
  readonly faults: ReadonlyMap<LimitField, string>;
  /** Why it was not saved when that was tried last. */
  readonly problem: Problem | null;
  readonly isBegun: boolean;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  readonly change: (changes: Partial<LimitValues>) => void;
  readonly save: () => Promise<void>;
  readonly discard: () => void;
}

/** The limits of a queue as they are, until somebody begins to change them. */
export function useLimitsEdit(queue: QueueView): LimitsEdit {
  const texts = useTexts();
  const [draft, setDraft] = useState<Draft | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [faults, setFaults] = useState<ReadonlyMap<LimitField, string>>(new Map());
  const [isSaving, setSaving] = useState(false);
  const sendChange = useSend(queue.name);
  const { values, base } = draft ?? { values: valuesOf(queue), base: queue };
  const body = changeOf(values, base);
  const settle = (refusal: Problem | null): void => {
    setProblem(refusal);
    setFaults(refusal === null ? new Map() : faultsOf(refusal, texts));
  };
  return {
    values,
    faults,
    problem,
    isBegun: draft !== null,
    isChanged: body !== null,
    isSaving,
    change: (changes) => {
      setDraft({ values: { ...values, ...changes }, base });
      setFaults((before) => new Map([...before].filter(([field]) => !(field in changes))));
    },
    save: async () => {
      if (body === null || isSaving) return;
      setSaving(true);
      try {
        const saved = await sendChange(body, base.version);
        settle(null);
        // What was typed meanwhile is an edit of what is saved now.
        setDraft((current) => (current === draft || current === null ? null : { ...current, base: saved }));
      } catch (error) {
        settle(asProblem(error));
      } finally {
        setSaving(false);
      }
    },
    discard: () => {
      setDraft(null);
      settle(null);
    },
  };
}

/** What the server says of each field. */
function faultsOf({ document }: Problem, { language, t, duration }: Texts): ReadonlyMap<LimitField, string> {
  const faults = new Map<LimitField, string>();
  for (const { pointer, code, detail } of document?.errors ?? []) {
    const field = limitFieldAt(pointer);
    if (field === null) continue;
    // An empty field says what `null` does.
    const told = detail.replace(/, or null$/, "");
    // The server counts milliseconds, which nobody has typed.
    const most = pointer.endsWith("Ms") ? / to (\d+)$/.exec(told)?.[1] : undefined;
    const text =
      most === undefined
        ? faultText(language, { code, detail: told })
        : t("queue.limits.span", { most: duration(Number(most)) });
    faults.set(field, text);
  }
  return faults;
}

/** @returns the queue as it is then; throws what the server says against it */
function useSend(name: string): (change: object, version: number) => Promise<QueueView> {
  const { t } = useTexts();
  const client = useQueryClient();
  return async (body, version) => {
    try {
      const saved = await send<QueueView>(`/v1/queues/${encodeURIComponent(name)}`, {
        method: "PATCH",
        headers: { "If-Match": `"v${version}"` },
        body,
      });
      toast(t("queue.limits.saved", { queue: name }));
      return saved;
    } finally {
      await client.invalidateQueries({
        predicate: ({ queryKey: [kind] }) => kind === "queue" || kind === "queues",
      });
    }
  };
}
