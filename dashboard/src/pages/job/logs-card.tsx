import { useEffect, useRef, useState, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import type { JobDetailView, LogLineView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { CopyButton } from "../../ui/copy.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { visible } from "../../ui/visible.js";
import { isFinishedState, useLog } from "./job-queries.js";
import { byAttempt, LEVELS, logFilterOf, logText, shownLines, type LogFilter } from "./log-lines.js";

/** What the job's handler logged. */
export function LogsCard({ job }: { readonly job: JobDetailView }): ReactNode {
  const { t } = useTexts();
  const finished = isFinishedState(job.state);
  const { data, error, refetch } = useLog(job);
  const [parameters, setParameters] = useSearchParams();
  const filter = logFilterOf(parameters);
  const lines = shownLines(data ?? [], filter);
  const choose = (name: string, value: string): void => {
    setParameters(
      (now) => {
        const next = new URLSearchParams(now);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  };
  return (
    <section className="card" id="logs">
      <div className="card-header">
        <h2>
          {t("logs.title")} {data !== undefined && <LineCount shown={lines.length} known={data.length} />}
        </h2>
        <div className="toolbar">
          <LogFilterFields job={job} lines={data ?? []} filter={filter} onChoose={choose} />
          <CopyButton text={logText(lines)} label={t("logs.copy")} />
        </div>
      </div>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {data !== undefined && lines.length > 0 && <Lines lines={lines} growing={!finished} />}
      {data !== undefined && lines.length === 0 && (
        <NoLines
          finished={finished}
          filtered={data.length > 0}
          onClear={() => {
            setParameters(new URLSearchParams(), { replace: true });
          }}
        />
      )}
    </section>
  );
}

function LineCount({ shown, known }: { readonly shown: number; readonly known: number }): ReactNode {
  const { t, format } = useTexts();
  return (
    <span className="json-size">
      {shown !== known && `${format.number(shown)} / `}
      {t("logs.lines", { count: known })}
    </span>
  );
}

function LogFilterFields({
  job,
  lines,
  filter,
  onChoose,
}: {
  readonly job: JobDetailView;
  readonly lines: readonly LogLineView[];
  readonly filter: LogFilter;
  readonly onChoose: (name: string, value: string) => void;
}): ReactNode {
  const { t } = useTexts();
  const attempts = new Set(lines.map(({ attempt }) => attempt));
  if (filter.attempt !== null) attempts.add(filter.attempt);
  return (
    <>
      <select
        className="input compact"
        aria-label={t("logs.level")}
        value={filter.level}
        onChange={({ target }) => {
          onChoose("level", target.value === "debug" ? "" : target.value);
        }}
      >
        {LEVELS.map((level) => (
          <option key={level} value={level}>
            {t(`logs.level.${level}`)}
          </option>
        ))}
      </select>
      {(job.attempt > 1 || filter.attempt !== null) && (
        <select
          className="input compact"
          aria-label={t("logs.attempt")}
          value={filter.attempt ?? ""}
          onChange={({ target }) => {
            onChoose("attempt", target.value);
          }}
        >
          <option value="">{t("logs.attempt.all")}</option>
          {[...attempts]
            .toSorted((a, b) => a - b)
            .map((number) => (
              <option key={number} value={number}>
                {t("timeline.attempt", { number })}
              </option>
            ))}
        </select>
      )}
    </>
  );
}

/** @param growing whether lines may come: then there is a tail to follow */
function Lines({
  lines,
  growing,
}: {
  readonly lines: readonly LogLineView[];
  readonly growing: boolean;
}): ReactNode {
  const { t } = useTexts();
  const frame = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  useEffect(() => {
    if (growing && following && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [growing, following, lines.length]);
  return (
    <>
      <div
        className="log"
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label={t("logs.title")}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          // Who scrolls up wants to read there.
          if (growing) setFollowing(scrollTop + clientHeight >= scrollHeight - 8);
        }}
      >
        {byAttempt(lines).map(({ attempt, lines: of }) => (
          <section key={of[0]?.seq} className="log-attempt">
            <h3>{t("timeline.attempt", { number: attempt })}</h3>
            <ol>
              {of.map((line) => (
                <Line key={line.seq} line={line} />
              ))}
            </ol>
          </section>
        ))}
      </div>
      {growing && (
        <label className="logs-follow">
          <input
            type="checkbox"
            checked={following}
            onChange={({ target }) => {
              setFollowing(target.checked);
            }}
          />
          {t("logs.follow")}
        </label>
      )}
    </>
  );
}

function Line({ line: { at, level, message } }: { readonly line: LogLineView }): ReactNode {
  const { format } = useTexts();
  const instant = Date.parse(at);
  return (
    <li className="log-line">
      <time dateTime={at} title={format.instant(instant)}>
        {format.clock(instant)}
      </time>
      <span className={`log-level ${level}`}>{level}</span>
      <span className="log-message job-text" translate="no" dir="auto">
        {visible(message)}
      </span>
    </li>
  );
}

function NoLines({
  finished,
  filtered,
  onClear,
}: {
  readonly finished: boolean;
  readonly filtered: boolean;
  readonly onClear: () => void;
}): ReactNode {
  const { t } = useTexts();
  if (!filtered) return <p className="card-body muted">{t(finished ? "logs.none" : "logs.noneYet")}</p>;
  return (
    <p className="card-body muted toolbar">
      {t("logs.noMatch")}{" "}
      <button type="button" className="button" onClick={onClear}>
        {t("logs.clear")}
      </button>
    </p>
  );
}
