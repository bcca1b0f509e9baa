import type { ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { CodeExample } from "../../ui/code-example.js";

const PROGRAM = `import { Konveier } from "konveier";

const konveier = await Konveier.open("sqlite:./konveier.db");
await konveier.flows.create({
  name: "order",
  jobs: [
    { ref: "charge", name: "card.charge", payload: { order: 7 } },
    { ref: "pack", name: "parcel.pack", dependsOn: ["charge"] },
    { ref: "mail", name: "email.send", dependsOn: ["charge"] },
    { ref: "ship", name: "parcel.ship", dependsOn: ["pack", "mail"] },
  ],
});`;

/** How to make the first flow. */
export function NoFlows(): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card empty">
      <h2>{t("flows.none.title")}</h2>
      <p>{t("flows.none.text")}</p>
      <CodeExample text={commandFor(document.baseURI.replace(/\/$/, ""))} />
      <p>{t("flows.none.code")}</p>
      <CodeExample text={PROGRAM} />
    </section>
  );
}

function commandFor(address: string): string {
  return [
    `curl -X POST "${address}/v1/flows" \\`,
    `  -H "Authorization: Bearer $API_TOKEN" -H "Content-Type: application/json" \\`,
    `  -d '{"name": "order", "jobs": [`,
    `        {"ref": "charge", "name": "card.charge", "payload": {"order": 7}},`,
    `        {"ref": "pack", "name": "parcel.pack", "dependsOn": ["charge"]},`,
    `        {"ref": "mail", "name": "email.send", "dependsOn": ["charge"]},`,
    `        {"ref": "ship", "name": "parcel.ship", "dependsOn": ["pack", "mail"]}]}'`,
  ].join("\n");
}
