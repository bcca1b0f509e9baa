import type { ReactNode } from "react";
import { useInfo, useSelf } from "../../api/queries.js";
import { useTexts } from "../../i18n/text.js";
import { clockOffsetMs, useClockOffset } from "../../live/clock.js";
import { useLiveState } from "../../live/live.js";
import { localZone } from "../../shell/display-menu.js";
import { preferencesNow } from "../../shell/preferences.js";
import { useCopy } from "../../ui/copy.js";
import { Icon } from "../../ui/icon.js";
import { Age } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { diagnosticsOf } from "./diagnostics.js";
import { InfoFault } from "./limits-tab.js";

/** A difference that the way of an answer explains. */
const SAME_CLOCK_MS = 2_000;

/** What the server and this browser are. */
export function AboutTab(): ReactNode {
  const { t, duration } = useTexts();
  const { data, error, refetch } = useInfo();
  const self = useSelf().data;
  const offset = useClockOffset();
  return (
    <>
      {error !== null && <InfoFault error={error} retry={() => void refetch()} />}
      <section className="card" aria-label={t("settings.tab.about")}>
        <dl className="facts card-body">
          <ServerFacts />
          <dt>{t("about.clock")}</dt>
          <dd>
            {offset === null ? (
              <span className="muted">–</span>
            ) : Math.abs(offset) < SAME_CLOCK_MS ? (
              t("about.clock.same")
            ) : (
              t(offset > 0 ? "about.clock.behind" : "about.clock.ahead", {
                duration: duration(Math.abs(offset)),
              })
            )}
          </dd>
          {self !== undefined && (
            <>
              <dt>{t("about.signedIn")}</dt>
              <dd className="job-text" translate="no" dir="auto">
                {visible(self.name)}
              </dd>
              <dt>{t("about.may")}</dt>
              <dd className="cell-line" translate="no">
                {self.capabilities.map((capability) => (
                  <span key={capability} className="tag">
                    {capability}
                  </span>
                ))}
              </dd>
            </>
          )}
        </dl>
        <CopyDiagnostics info={data} capabilities={self?.capabilities ?? []} />
      </section>
    </>
  );
}

function ServerFacts(): ReactNode {
  const { t, format } = useTexts();
  const { data } = useInfo();
  if (data === undefined) return null;
  const { version, store, startedAt, environment, trustedProxies } = data;
  return (
    <>
      <dt>{t("about.version")}</dt>
      <dd>Konveier {version}</dd>
      <dt>{t("about.store")}</dt>
      <dd>
        {store.kind} {store.version}{" "}
        <span className="muted">{t("about.schema", { version: String(store.schemaVersion) })}</span>
      </dd>
      <dt>{t("about.uptime")}</dt>
      <dd>
        <Age since={startedAt} />
      </dd>
      {environment !== null && (
        <>
          <dt>{t("about.environment")}</dt>
          <dd className="job-text">{visible(environment.label)}</dd>
        </>
      )}
      <dt>{t("about.proxies")}</dt>
      <dd>{format.number(trustedProxies)}</dd>
    </>
  );
}

function CopyDiagnostics({
  info,
  capabilities,
}: {
  readonly info: Parameters<typeof diagnosticsOf>[0];
  readonly capabilities: readonly string[];
}): ReactNode {
  const { t } = useTexts();
  const { status } = useLiveState();
  const take = useCopy();
  const copy = (): void => {
    const text = diagnosticsOf(info, {
      preferences: preferencesNow(),
      userAgent: navigator.userAgent,
      languages: navigator.languages,
      zone: localZone(),
      window: `${innerWidth}x${innerHeight}`,
      live: status,
      clockOffsetMs: clockOffsetMs(),
      capabilities,
      page: location.pathname,
    });
    take(text, "about.copied");
  };
  return (
    <footer className="card-footer">
      <span className="muted">{t("about.copy.hint")}</span>
      <button type="button" className="button" onClick={copy}>
        <Icon name="copy" />
        {t("about.copy")}
      </button>
    </footer>
  );
}
