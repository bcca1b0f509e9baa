import type { ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { CodeExample } from "../../ui/code-example.js";

/** How to make the first schedule. */
export function NoSchedules(): ReactNode {
  const { t } = useTexts();
  const command = commandFor(document.baseURI.replace(/\/$/, ""));
  return (
    <section className="card empty">
      <h2>{t("schedules.none.title")}</h2>
      <p>{t("schedules.none.text")}</p>
      <CodeExample text={command} />
    </section>
  );
}

function commandFor(address: string): string {
  return [
    `curl -X PUT "${address}/v1/schedules/report.nightly" \\`,
    `  -H "Authorization: Bearer $API_TOKEN" -H "Content-Type: application/json" \\`,
    `  -d '{"cron": "30 2 * * *", "timezone": "Europe/Berlin",`,
    `       "job": {"name": "report", "payload": {"to": "ada@example.com"}}}'`,
  ].join("\n");
}
