import type { ReactNode } from "react";
import { useRoute } from "wouter";
import { scopesThatAllow } from "../../../src/core/access.js";
import { useAllowed, useSelf } from "../api/queries.js";
import { useTexts } from "../i18n/text.js";
import { usePageTitle } from "./page-title.js";

/** The pages, unless the token is for programs: all that they ask for would be refused, again and again. */
export function ReadersOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const mayRead = useAllowed("read");
  // What is about this browser needs no right.
  const [isSettings] = useRoute("/settings");
  return mayRead || isSettings ? children : <NotForReading />;
}

function NotForReading(): ReactNode {
  const { t } = useTexts();
  const { data } = useSelf();
  usePageTitle([t("allowed.notHere")]);
  if (data === undefined) return null;
  return (
    <div className="empty">
      <h1>{t("allowed.notHere")}</h1>
      <p>{t("allowed.notHere.why", { name: data.name, scopes: scopesThatAllow("read").join(", ") })}</p>
      <ul className="empty-ways">
        {data.capabilities.map((capability) => (
          <Capable key={capability} capability={capability} />
        ))}
      </ul>
    </div>
  );
}

/** What it may do, in words where there are some. */
function Capable({ capability }: { readonly capability: string }): ReactNode {
  const { t, has } = useTexts();
  const key = `allowed.may.${capability}`;
  return <li>{has(key) ? t(key as "allowed.may.work") : capability}</li>;
}
