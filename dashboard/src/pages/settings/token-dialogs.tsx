import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useSelf } from "../../api/queries.js";
import { send } from "../../api/request.js";
import type { IssuedTokenView, Scope, TokenView } from "../../api/types.js";
import { ALL_SCOPES } from "../../../../src/core/access.js";
import { useTexts, type Texts } from "../../i18n/text.js";
import { serverNow } from "../../live/clock.js";
import { Confirm } from "../../ui/confirm.js";
import { Field } from "../../ui/field.js";
import { toast } from "../../ui/toasts.js";
import { keepUntilSeen } from "./issued-tokens.js";
import { expiryIn, queuesOf } from "./token-status.js";

/** Days; 0: for ever. */
const VALID_FOR = [7, 30, 90, 365, 0];
/** Hours. */
const OVERLAPS = [0, 1, 24, 168, 720];
const HOUR_MS = 3_600_000;

interface Issues {
  readonly onClose: () => void;
}

export function CreateToken({ onClose }: Issues): ReactNode {
  const { t } = useTexts();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [queues, setQueues] = useState("");
  const [days, setDays] = useState(90);
  const create = async (): Promise<void> => {
    const request = send<IssuedTokenView>("/v1/tokens", {
      method: "POST",
      body: {
        name: name.trim(),
        scopes,
        queues: queuesOf(queues),
        expiresAt: expiryIn(days, serverNow()),
      },
    });
    await keepUntilSeen(request);
    void client.invalidateQueries({ queryKey: ["tokens"] });
  };
  return (
    <Confirm
      title={t("tokens.new")}
      action={t("tokens.create")}
      ready={name.trim() !== "" && scopes.length > 0}
      onceOnly
      run={create}
      onClose={onClose}
    >
      <Field label={t("tokens.create.name")}>
        {(control) => (
          <input
            {...control}
            className="input"
            autoComplete="off"
            autoFocus
            value={name}
            onChange={({ target }) => {
              setName(target.value);
            }}
          />
        )}
      </Field>
      <Scopes chosen={scopes} onChange={setScopes} />
      <Field label={t("tokens.create.queues")} hint={t("tokens.create.queues.hint")}>
        {(control) => (
          <input
            {...control}
            className="input"
            autoComplete="off"
            spellCheck={false}
            value={queues}
            onChange={({ target }) => {
              setQueues(target.value);
            }}
          />
        )}
      </Field>
      <NumberChoice
        label={t("tokens.create.expires")}
        choices={VALID_FOR}
        value={days}
        onChange={setDays}
        textOf={(count) => (count === 0 ? t("tokens.forever") : t("tokens.days", { count }))}
      />
    </Confirm>
  );
}

function Scopes({
  chosen,
  onChange,
}: {
  readonly chosen: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <fieldset className="choices">
      <legend className="label">{t("tokens.create.scopes")}</legend>
      {ALL_SCOPES.map((scope) => (
        <label key={scope} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ target }) => {
              onChange(
                ALL_SCOPES.filter((other) => (other === scope ? target.checked : chosen.includes(other))),
              );
            }}
          />
          <span>
            <code>{scope}</code> <span className="hint">{t(`tokens.scope.${scope}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function NumberChoice({
  label,
  choices,
  value,
  onChange,
  textOf,
}: {
  readonly label: string;
  readonly choices: readonly number[];
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly textOf: (choice: number) => string;
}): ReactNode {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          className="input"
          value={value}
          onChange={({ target }) => {
            onChange(Number(target.value));
          }}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {textOf(choice)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function RotateToken({
  token: { id, name },
  onClose,
}: Issues & { readonly token: TokenView }): ReactNode {
  const { t } = useTexts();
  const client = useQueryClient();
  const [hours, setHours] = useState(24);
  const rotate = async (): Promise<void> => {
    const body = { overlapMs: hours * HOUR_MS };
    const address = `/v1/tokens/${encodeURIComponent(id)}/rotate`;
    await keepUntilSeen(send<IssuedTokenView>(address, { method: "POST", body }));
    void client.invalidateQueries({ queryKey: ["tokens"] });
  };
  return (
    <Confirm
      title={t("tokens.rotate.title", { name })}
      action={t("tokens.rotate")}
      onceOnly
      run={rotate}
      onClose={onClose}
    >
      <p>{t("tokens.rotate.text")}</p>
      <NumberChoice
        label={t("tokens.rotate.overlap")}
        choices={OVERLAPS}
        value={hours}
        onChange={setHours}
        textOf={(choice) => overlapText(choice, t)}
      />
    </Confirm>
  );
}

function overlapText(hours: number, t: Texts["t"]): string {
  if (hours === 0) return t("tokens.overlap.none");
  return hours % 24 === 0
    ? t("tokens.days", { count: hours / 24 })
    : t("tokens.overlap.hours", { count: hours });
}

export function RevokeToken({
  token: { id, name },
  onClose,
}: {
  readonly token: TokenView;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useTexts();
  const { data } = useSelf();
  const client = useQueryClient();
  const revoke = async (): Promise<void> => {
    await send(`/v1/tokens/${encodeURIComponent(id)}`, { method: "DELETE" });
    toast(t("tokens.revoke.done", { name }));
    await client.invalidateQueries({ queryKey: ["tokens"] });
  };
  return (
    <Confirm
      title={t("tokens.revoke.title", { name })}
      action={t("tokens.revoke")}
      danger
      run={revoke}
      onClose={onClose}
    >
      <p>{t("tokens.revoke.text")}</p>
      {data?.id === id && <p className="notice warn">{t("tokens.revoke.own")}</p>}
    </Confirm>
  );
}
