import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { Problem } from "../../api/problem.js";
import { send } from "../../api/request.js";
import type { JobView, OperationView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath } from "../../shell/routes.js";
import { Confirm } from "../../ui/confirm.js";
import { ProblemNote } from "../../ui/problem-note.js";

export type GroupAction = "retry" | "delete";

interface Preview {
  readonly matched: number;
  readonly capped: boolean;
  readonly samples: readonly JobView[];
  readonly previewToken: string;
}

/** Retries come in at a pace that the other side can bear; what is removed is removed as fast as the server does it. */
const SPEEDS = [1, 10, 50, 500];
const USUAL_SPEED = 50;

/** Shows what a bulk action would change, and starts it. */
export function BulkDialog({
  action,
  query,
  onStarted,
  onClose,
}: {
  readonly action: GroupAction;
  /** A filter. */
  readonly query: string;
  readonly onStarted: (operation: OperationView) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [perSecond, setPerSecond] = useState(USUAL_SPEED);
  const { data, error } = useQuery<Preview, Problem>({
    queryKey: ["bulk preview", action, query],
    queryFn: () => send<Preview>("/v1/jobs/bulk/preview", { method: "POST", body: { action, q: query } }),
    staleTime: Infinity,
    gcTime: 0,
  });
  const count = data?.matched ?? 0;
  return (
    <Confirm
      title={t(`bulk.${action}.title`)}
      act={t(`bulk.${action}.do`, { count })}
      danger={action === "delete"}
      typed={action === "delete" && count > 0 ? String(count) : null}
      ready={count > 0}
      run={async () => {
        const speed = action === "retry" ? { perSecond } : {};
        const body = { previewToken: data?.previewToken, ...speed };
        onStarted(await send<OperationView>("/v1/jobs/bulk", { method: "POST", body }));
      }}
      onClose={onClose}
    >
      {error !== null && <ProblemNote error={error} />}
      {data === undefined && error === null && <p>{t("bulk.counting")}</p>}
      {data !== undefined && <PreviewText action={action} preview={data} />}
      {action === "retry" && count > 1 && <SpeedField value={perSecond} onChange={setPerSecond} />}
    </Confirm>
  );
}

function PreviewText({
  action,
  preview,
}: {
  readonly action: GroupAction;
  readonly preview: Preview;
}): ReactNode {
  const { t } = useTexts();
  const { matched, capped, samples } = preview;
  if (matched === 0) return <p>{t("bulk.nothing")}</p>;
  return (
    <>
      <p>
        {t(`bulk.${action}.what`, { count: matched })} {capped && t("bulk.capped")} {t("bulk.later")}
      </p>
      <p className="muted bulk-samples">
        {t("bulk.samples")}:
        {samples.slice(0, 5).map(({ id }) => (
          <Link key={id} href={jobPath(id)}>
            {id}
          </Link>
        ))}
      </p>
    </>
  );
}

function SpeedField({
  value,
  onChange,
}: {
  readonly value: number;
  readonly onChange: (perSecond: number) => void;
}): ReactNode {
  const { t } = useTexts();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{t("bulk.speed")}</label>
      <select
        id={id}
        className="input"
        value={value}
        onChange={({ target }) => {
          onChange(Number(target.value));
        }}
      >
        {SPEEDS.map((count) => (
          <option key={count} value={count}>
            {t("bulk.perSecond", { count })}
          </option>
        ))}
      </select>
    </div>
  );
}
