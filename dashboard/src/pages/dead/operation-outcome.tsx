import type { ReactNode } from "react";
import { Link } from "wouter";
import type { OperationView } from "../../api/types.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { retriedBy } from "../../ui/retried-jobs.js";
import { Retried } from "../../ui/unserved-note.js";
import { isFinal } from "./outcome.js";
import { outcomeWords } from "./outcome-words.js";
import { useOutcomes } from "./use-outcomes.js";

/** What a retry of many jobs that is over has come to, as its jobs end: of a large one, as some of them do. */
export function RetryOutcome({ operation }: { readonly operation: OperationView }): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const { id, changed } = operation;
  const before = retriedBy(id);
  const followed = before.map(({ id: job, token }) => ({ id: job, token, mayBeUntouched: true }));
  const { outcomes } = useOutcomes(id, followed, isFinal);
  const touched = [...outcomes].filter(([, outcome]) => outcome !== "untouched");
  const what = outcomeWords(
    texts,
    touched.map(([, outcome]) => outcome),
  );
  const dead = touched.filter(([, outcome]) => outcome === "dead").map(([job]) => job);
  return (
    <>
      <Retried text={textOf(texts, operation, touched.length, what)} count={changed} jobs={before} />
      {dead.length > 0 && (
        <>
          {" "}
          {t("operation.deadAgain")}{" "}
          <Link href={jobsPath(`id:${dead.join(",")}`, "dead")}>
            {t("operation.deadAgain.show", { count: dead.length })}
          </Link>
        </>
      )}
    </>
  );
}

function textOf({ t }: Texts, { state, changed }: OperationView, followed: number, what: string): string {
  const retried = t(`operation.retry.${state === "cancelled" ? state : "completed"}`, { count: changed });
  if (what === "") return retried;
  return followed === changed
    ? `${retried} ${t("operation.became", { what })}`
    : `${retried} ${t("operation.becameSome", { count: followed, what })}`;
}
