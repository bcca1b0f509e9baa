import { useState, type ReactNode } from "react";
import { useRoute } from "wouter";
import { useTexts } from "../i18n/text.js";
import { AllowedButton, useRefusal } from "../ui/allowed-button.js";
import { NewJobDialog } from "../ui/new-job-dialog.js";
import { toast } from "../ui/toasts.js";
import { decoded } from "./routes.js";
import { useShortcut } from "./shortcuts.js";

/** Enqueues a job from wherever one is; `n` does the same. */
export function NewJobButton(): ReactNode {
  const { t } = useTexts();
  const refusal = useRefusal("enqueue");
  const [open, setOpen] = useState(false);
  const [, place] = useRoute<{ "*": string }>("/queues/*");
  const queue = decoded(place?.["*"] ?? "");
  const ask = (): void => {
    setOpen(true);
  };
  useShortcut("KeyN", () => {
    if (refusal === null) ask();
    else toast(refusal);
  });
  return (
    <>
      <AllowedButton needs="enqueue" icon="plus" onPress={ask}>
        <span className="wide-only">{t("newJob.open")}</span>
      </AllowedButton>
      {open && (
        <NewJobDialog
          queue={queue}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
