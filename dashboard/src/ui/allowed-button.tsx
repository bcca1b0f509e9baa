import type { ComponentProps, ReactNode } from "react";
import { scopesThatAllow } from "../../../src/core/access.js";
import { useAllowed } from "../api/queries.js";
import type { Capability } from "../api/types.js";
import { useTexts } from "../i18n/text.js";
import { ActionButton } from "./action-button.js";

/** Why the token may not do something; `null` when it may. */
export function useRefusal(capability: Capability): string | null {
  const { t } = useTexts();
  const allowed = useAllowed(capability);
  return allowed ? null : t("allowed.needs", { scopes: scopesThatAllow(capability).join(", ") });
}

type AllowedButtonProps = Omit<ComponentProps<typeof ActionButton>, "refusal"> & {
  /** What the token must allow. */
  readonly needs: Capability;
  /** Another reason not to. */
  readonly refusal?: string | null;
};

/** A button that says why it does nothing, when the token or the thing itself does not allow what it does. */
export function AllowedButton({ needs, refusal = null, ...button }: AllowedButtonProps): ReactNode {
  const reason = useRefusal(needs);
  return <ActionButton {...button} refusal={reason ?? refusal} />;
}
