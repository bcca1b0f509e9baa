import { Fragment, type ReactNode } from "react";
import { useWorkersQuery } from "../api/queries.js";
import { useTexts } from "../i18n/text.js";
import { unservedKinds, type JobKind } from "./unserved.js";
import { visible } from "./visible.js";

const NAMED = 3;

/** Says before a retry which of the jobs nobody will take. `null`: somebody takes them all, or nothing is known. */
export function useUnservedWarning(jobs: readonly JobKind[]): ReactNode {
  const { rich } = useTexts();
  const unserved = useUnserved(jobs);
  return unserved.length === 0 ? null : rich("unserved.before", { what: <Kinds kinds={unserved} /> });
}

/** What became of jobs that were retried, and whether somebody takes them now. */
export function Retried({
  text,
  count,
  jobs,
}: {
  readonly text: string;
  readonly count: number;
  /** Those that are known of them. */
  readonly jobs: readonly JobKind[];
}): ReactNode {
  const { t, rich } = useTexts();
  const unserved = useUnserved(jobs);
  const isAll =
    unserved.length === new Set(jobs.map(({ queue, name }) => JSON.stringify([queue, name]))).size;
  if (count === 0 || unserved.length === 0) return text;
  return (
    <>
      {text}{" "}
      {isAll ? t("unserved.all", { count }) : rich("unserved.some", { what: <Kinds kinds={unserved} /> })}
    </>
  );
}

function useUnserved(jobs: readonly JobKind[]): readonly JobKind[] {
  const { data } = useWorkersQuery();
  return data === undefined ? [] : unservedKinds(jobs, data.items);
}

function Kinds({ kinds }: { readonly kinds: readonly JobKind[] }): ReactNode {
  const { t, rich } = useTexts();
  return (
    <>
      {kinds.slice(0, NAMED).map(({ queue, name }, index) => (
        <Fragment key={JSON.stringify([queue, name])}>
          {index > 0 && ", "}
          {rich("unserved.kind", { name: <Name text={name} />, queue: <Name text={queue} /> })}
        </Fragment>
      ))}
      {kinds.length > NAMED && `, ${t("unserved.more", { number: kinds.length - NAMED })}`}
    </>
  );
}

function Name({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="job-text" translate="no">
      {visible(text)}
    </span>
  );
}
