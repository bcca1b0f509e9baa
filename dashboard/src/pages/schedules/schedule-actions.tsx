import { useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { send } from "../../api/request.js";
import type { JobView, ScheduleView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { jobPath } from "../../shell/routes.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { Confirm } from "../../ui/confirm.js";
import { Field } from "../../ui/field.js";
import { useProblemText } from "../../ui/problem-note.js";
import { toast } from "../../ui/toasts.js";
import { useSchedulesChanged } from "./actions.js";
import { scheduleAddress, type ReadSchedule } from "./queries.js";
import { ScheduleForm } from "./schedule-form.js";
import { nextText } from "./zoned.js";

type Asked = "run" | "pause" | "edit" | "delete" | null;

/** What can be done with a schedule. One that code declares can be run, paused and resumed, no more. */
export function ScheduleActions({ read }: { readonly read: ReadSchedule }): ReactNode {
  const { t } = useTexts();
  const [asked, setAsked] = useState<Asked>(null);
  const { schedule } = read;
  const refusal = schedule.source === "code" ? t("schedule.codeReason") : null;
  const ask = (what: Asked) => () => {
    setAsked(what);
  };
  const close = ask(null);
  return (
    <div className="toolbar">
      <AllowedButton needs="operate" tone="primary" icon="play" onPress={ask("run")}>
        {t("schedule.run")}
      </AllowedButton>
      {schedule.pausedAt === null ? (
        <AllowedButton needs="operate" icon="pause" onPress={ask("pause")}>
          {t("schedule.pause")}
        </AllowedButton>
      ) : (
        <ResumeButton schedule={schedule} />
      )}
      <AllowedButton needs="operate" icon="edit" refusal={refusal} onPress={ask("edit")}>
        {t("schedule.edit")}
      </AllowedButton>
      <AllowedButton needs="operate" icon="trash" refusal={refusal} onPress={ask("delete")}>
        {t("schedule.delete")}
      </AllowedButton>
      {asked === "run" && <RunDialog schedule={schedule} onClose={close} />}
      {asked === "pause" && <PauseDialog schedule={schedule} onClose={close} />}
      {asked === "edit" && <ScheduleForm read={read} onClose={close} />}
      {asked === "delete" && <DeleteDialog read={read} onClose={close} />}
    </div>
  );
}

function ResumeButton({ schedule: { key } }: { readonly schedule: ScheduleView }): ReactNode {
  const texts = useTexts();
  const { t } = texts;
  const changed = useSchedulesChanged();
  const problemText = useProblemText();
  const resume = async (): Promise<void> => {
    try {
      const schedule = await send<ScheduleView>(`${scheduleAddress(key)}/resume`, { method: "POST" });
      const at = nextText(schedule, texts);
      toast(at === null ? t("schedule.resume.doneNone", { key }) : t("schedule.resume.done", { key, at }));
    } catch (error) {
      toast(problemText(error), "bad");
    }
    await changed();
  };
  return (
    <AllowedButton needs="operate" icon="resume" onPress={resume}>
      {t("schedule.resume")}
    </AllowedButton>
  );
}

interface Shown {
  readonly schedule: ScheduleView;
  readonly onClose: () => void;
}

function RunDialog({ schedule, onClose }: Shown): ReactNode {
  const texts = useTexts();
  const { t, rich } = texts;
  const changed = useSchedulesChanged();
  const { key } = schedule;
  const at = nextText(schedule, texts);
  const run = async (): Promise<void> => {
    const { id } = await send<JobView>(`${scheduleAddress(key)}/run`, { method: "POST" });
    toast(rich("schedule.run.done", { job: <Link href={jobPath(id)}>{id}</Link> }));
    await changed();
  };
  return (
    <Confirm
      title={t("schedule.run.title", { key })}
      action={t("schedule.run")}
      onceOnly
      run={run}
      onClose={onClose}
    >
      <p>{t("schedule.run.text")}</p>
      <p>{at === null ? t("schedule.run.nextNone") : t("schedule.run.next", { at })}</p>
    </Confirm>
  );
}

function PauseDialog({ schedule: { key, pausedAt }, onClose }: Shown): ReactNode {
  const { t } = useTexts();
  const [reason, setReason] = useState("");
  const changed = useSchedulesChanged();
  const run = async (): Promise<void> => {
    const body = reason.trim() === "" ? {} : { reason: reason.trim() };
    await send(`${scheduleAddress(key)}/pause`, { method: "POST", body });
    toast(t("schedule.pause.done", { key }));
    await changed();
  };
  return (
    <Confirm
      title={t("schedule.pause.title", { key })}
      action={t("schedule.pause")}
      hasField
      warning={pausedAt === null ? null : t("schedule.pause.already")}
      run={run}
      onClose={onClose}
    >
      <p>{t("schedule.pause.text")}</p>
      <Field label={t("schedule.pause.reason")}>
        {(control) => (
          <input
            {...control}
            className="input"
            autoFocus
            maxLength={500}
            value={reason}
            onChange={({ target }) => {
              setReason(target.value);
            }}
          />
        )}
      </Field>
    </Confirm>
  );
}

function DeleteDialog({
  read: { schedule, etag },
  onClose,
}: {
  readonly read: ReadSchedule;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const { key } = schedule;
  const [asked] = useState(etag);
  const run = async (): Promise<void> => {
    await send(scheduleAddress(key), {
      method: "DELETE",
      headers: etag === null ? {} : { "If-Match": etag },
    });
    toast(t("schedule.delete.done", { key }));
  };
  return (
    <Confirm
      title={t("schedule.delete.title", { key })}
      action={t("schedule.delete")}
      danger
      typed={{ text: key, label: t("schedule.delete.type", { key }) }}
      warning={etag === asked ? null : t("schedule.delete.changed")}
      run={run}
      onDone={() => {
        navigate("/schedules");
      }}
      onClose={onClose}
    >
      <p>{t("schedule.delete.text")}</p>
    </Confirm>
  );
}
