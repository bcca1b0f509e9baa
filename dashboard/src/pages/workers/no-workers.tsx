import type { ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { CodeExample } from "../../ui/code-example.js";

const PROGRAM = `import { defineJob, Konveier } from "konveier";

const hello = defineJob<{ name: string }>("hello", {
  handler: ({ payload }) => \`Hello, \${payload.name}\`,
});

const konveier = await Konveier.open("sqlite:./konveier.db");
await konveier.worker({ jobs: [hello] }).start();`;

/** How to start the first worker. */
export function NoWorkers(): ReactNode {
  const { t } = useTexts();
  const claim = claimFor(document.baseURI.replace(/\/$/, ""));
  return (
    <section className="card empty">
      <h2>{t("workers.none.title")}</h2>
      <p>{t("workers.none.text")}</p>
      <CodeExample text={PROGRAM} />
      <p>{t("workers.none.http")}</p>
      <CodeExample text={claim} />
    </section>
  );
}

function claimFor(address: string): string {
  return [
    `curl -X POST "${address}/v1/claim" \\`,
    `  -H "Authorization: Bearer $API_TOKEN" -H "Content-Type: application/json" \\`,
    `  -d '{"workerId": "my-worker", "queues": ["default"], "waitMs": 20000}'`,
  ].join("\n");
}
