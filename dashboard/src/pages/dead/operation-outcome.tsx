import type { ReactNode } from "react";
import { Link } from "wouter";
import type { OperationView } from "../../api/types.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { jobsPath } from "../../shell/routes.js";
import { retriedBy } from "../../ui/retried-jobs.js";
import { Retried } from "../../ui/unserved-note.js";
import { countOutcomes, type Outcome } from "./outcome.js";
import { useOutcomes } from "./use-outcomes.js";

/** In this order they are told. */
const TOLD = ["completed", "dead", "again", "running", "waiting", "cancelled", "gone"] as const;

/** What a retry of many jobs that is over has come to, as its jobs end: of a large one, as some of them do. */
export function RetryOutcome({ operation }: { readonly operation: OperationView }): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const { id, changed } = operation;
  const before = retriedBy(id);
  const touched = [...useOutcomes(before, "final")].filter(([, outcome]) => outcome !== "untouched");
  const what = partsOf(texts, countOutcomes(touched.map(([, outcome]) => outcome)));
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

function partsOf({ t }: Texts, counts: ReadonlyMap<Outcome, number>): string {
  return TOLD.flatMap((outcome) => {
    const count = counts.get(outcome) ?? 0;
    return count === 0 ? [] : [t(`became.${outcome}`, { count })];
  }).join(", ");
}
