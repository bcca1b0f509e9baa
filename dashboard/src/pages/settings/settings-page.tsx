import type { ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { useAllowed, useSelf } from "../../api/queries.js";
import { useTexts } from "../../i18n/text.js";
import { usePageTitle } from "../../shell/page-title.js";
import { useChosenTab } from "../../ui/chosen-tab.js";
import { AboutTab } from "./about-tab.js";
import { AccessTab } from "./access-tab.js";
import { AuditTab } from "./audit-tab.js";
import { DisplayTab } from "./display-tab.js";
import { LimitsTab } from "./limits-tab.js";

const TABS = ["access", "limits", "display", "audit", "about"] as const;
type Tab = (typeof TABS)[number];

/** Everything about the server and about this browser. The tab is in the address. */
export function SettingsPage(): ReactNode {
  const { t, language } = useTexts();
  const [parameters] = useSearchParams();
  const tab = TABS.find((name) => name === parameters.get("tab")) ?? "access";
  const tabs = useChosenTab(`${tab} ${language}`);
  usePageTitle([t(`settings.tab.${tab}`), t("nav.settings")]);
  return (
    <div className="page">
      <header className="page-header">
        <h1>{t("nav.settings")}</h1>
      </header>
      <nav ref={tabs} className="tabs" aria-label={t("settings.tabs")}>
        {TABS.map((name) => (
          <Link key={name} href={`/settings?tab=${name}`} aria-current={name === tab ? "page" : undefined}>
            {t(`settings.tab.${name}`)}
          </Link>
        ))}
      </nav>
      <Shown tab={tab} />
    </div>
  );
}

function Shown({ tab }: { readonly tab: Tab }): ReactNode {
  const { t } = useTexts();
  const { data } = useSelf();
  const mayAdminister = useAllowed("administer");
  const isGuarded = tab === "access" || tab === "audit";
  // What would be refused is not even asked for.
  if (isGuarded && data === undefined) return null;
  if (isGuarded && !mayAdminister) {
    return <p className="card empty job-text">{t("settings.refused", { name: data?.name ?? "" })}</p>;
  }
  switch (tab) {
    case "access":
      return <AccessTab />;
    case "limits":
      return <LimitsTab />;
    case "display":
      return <DisplayTab />;
    case "audit":
      return <AuditTab />;
    case "about":
      return <AboutTab />;
  }
}
