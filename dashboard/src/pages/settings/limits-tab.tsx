import type { ReactNode } from "react";
import type { InfoView } from "../../api/types.js";

type Retention = NonNullable<InfoView["retention"]>;
type SettingView = NonNullable<InfoView["settings"]>[number];
import { asProblem } from "../../api/problem.js";
import { useInfo } from "../../api/queries.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { ProblemNote } from "../../ui/problem-note.js";

/** How long jobs are kept, what the server takes, and for administrators how it is set up. */
export function LimitsTab(): ReactNode {
  const { data, error, refetch } = useInfo();
  if (error !== null) return <InfoFault error={error} retry={() => void refetch()} />;
  if (data === undefined)
    return (
      <div className="card">
        <LoadingRows />
      </div>
    );
  return (
    <>
      <div className="columns align-start">
        <RetentionCard retention={data.retention} />
        <LimitsCard limits={data.limits} />
      </div>
      {data.settings !== null && <SettingsCard settings={data.settings} />}
    </>
  );
}

/** A server of an older version tells nothing of itself. */
export function InfoFault({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry: () => void;
}): ReactNode {
  const { t } = useTexts();
  if (asProblem(error).status === 404) return <p className="card empty">{t("settings.noInfo")}</p>;
  return <ProblemNote error={error} retry={retry} />;
}

function RetentionCard({ retention }: { readonly retention: Retention | null }): ReactNode {
  const { t, format, duration } = useTexts();
  return (
    <section className="card" aria-labelledby="retention-title">
      <header className="card-header">
        <h2 id="retention-title">{t("limits.retention")}</h2>
      </header>
      <div className="card-body stack">
        <p className="muted">
          {retention === null ? t("limits.retention.unknown") : t("limits.retention.lead")}
        </p>
        {retention !== null && (
          <dl className="facts">
            {(["completedMs", "cancelledMs", "deadMs"] as const).map((name) => (
              <Fact key={name} name={t(`limits.retention.${name}`)}>
                {retention[name] === null ? t("limits.retention.forever") : duration(retention[name])}
              </Fact>
            ))}
            <Fact name={t("limits.retention.maxCompleted")}>
              {retention.maxCompleted === null
                ? t("limits.retention.forever")
                : format.number(retention.maxCompleted)}
            </Fact>
          </dl>
        )}
      </div>
    </section>
  );
}

function LimitsCard({ limits }: { readonly limits: InfoView["limits"] }): ReactNode {
  const texts = useTexts();
  const { t, has } = texts;
  return (
    <section className="card" aria-labelledby="limits-title">
      <header className="card-header">
        <h2 id="limits-title">{t("limits.title")}</h2>
      </header>
      <dl className="facts card-body wide-facts">
        {Object.entries(limits).map(([name, value]) => {
          const key = `limits.${name}`;
          return (
            <Fact key={name} name={has(key) ? t(key as "limits.title") : name}>
              {limitText(name, value, texts)}
            </Fact>
          );
        })}
      </dl>
    </section>
  );
}

/** A number with the unit that its name ends with. */
function limitText(name: string, value: number, { format, size, duration }: Texts): string {
  if (name.endsWith("Bytes")) return size(value);
  return name.endsWith("Ms") ? duration(value) : format.number(value);
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function SettingsCard({ settings }: { readonly settings: readonly SettingView[] }): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card" aria-labelledby="settings-title">
      <header className="card-header">
        <h2 id="settings-title">{t("limits.settings")}</h2>
      </header>
      <div className="table-frame">
        <table className="stacks">
          <caption className="visually-hidden">{t("limits.settings")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("limits.settings.name")}</th>
              <th scope="col">{t("limits.settings.value")}</th>
              <th scope="col">{t("limits.settings.source")}</th>
            </tr>
          </thead>
          <tbody>
            {settings.map((setting) => (
              <tr key={setting.name}>
                <th scope="row">
                  <code translate="no">{setting.name}</code>
                </th>
                <td data-label={t("limits.settings.value")}>
                  <SettingValue setting={setting} />
                </td>
                <td data-label={t("limits.settings.source")}>{t(`limits.source.${setting.source}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function SettingValue({ setting: { value, secret } }: { readonly setting: SettingView }): ReactNode {
  const { t } = useTexts();
  if (value === null) {
    return <span className="muted">{secret ? t("limits.settings.secret") : t("limits.settings.none")}</span>;
  }
  return (
    <code className="job-text" translate="no" dir="auto">
      {value}
    </code>
  );
}
