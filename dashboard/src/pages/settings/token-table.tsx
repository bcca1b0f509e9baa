import type { ReactNode } from "react";
import { useSelf } from "../../api/queries.js";
import type { TokenView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useServerNow } from "../../live/clock.js";
import { Badge } from "../../ui/badge.js";
import { RelativeTime } from "../../ui/time.js";
import { visible } from "../../ui/visible.js";
import { statusOf } from "./token-status.js";

type Ask = (what: "rotate" | "revoke", token: TokenView) => void;

export function TokenTable({
  tokens,
  ask,
}: {
  readonly tokens: readonly TokenView[];
  readonly ask: Ask;
}): ReactNode {
  const { t } = useTexts();
  return (
    <div className="table-frame">
      <table className="stacks">
        <caption className="visually-hidden">{t("tokens.caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("tokens.name")}</th>
            <th scope="col">{t("tokens.scopes")}</th>
            <th scope="col">{t("tokens.queues")}</th>
            <th scope="col">{t("tokens.created")}</th>
            <th scope="col">{t("tokens.used")}</th>
            <th scope="col">{t("tokens.expires")}</th>
            <th scope="col">
              <span className="visually-hidden">{t("tokens.actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <Row key={token.id} token={token} ask={ask} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ token, ask }: { readonly token: TokenView; readonly ask: Ask }): ReactNode {
  const { t } = useTexts();
  const { name, scopes, queues, createdAt, lastUsedAt, expiresAt } = token;
  const status = statusOf(token, useServerNow());
  return (
    <tr>
      <th scope="row">
        <TokenName token={token} />
      </th>
      <td data-label={t("tokens.scopes")}>
        <Tags texts={scopes} />
      </td>
      <td data-label={t("tokens.queues")}>
        {queues === null ? <span className="muted">{t("tokens.queues.all")}</span> : <Tags texts={queues} />}
      </td>
      <td data-label={t("tokens.created")}>
        <RelativeTime at={createdAt} />
      </td>
      <td data-label={t("tokens.used")}>
        {lastUsedAt === null ? (
          <span className="muted">{t("tokens.used.never")}</span>
        ) : (
          <RelativeTime at={lastUsedAt} />
        )}
      </td>
      <td data-label={t("tokens.expires")}>
        {expiresAt === null ? (
          <span className="muted">{t("tokens.expires.never")}</span>
        ) : (
          <RelativeTime at={expiresAt} />
        )}
      </td>
      <td>
        {status === "active" && (
          <span className="toolbar row-actions">
            {(["rotate", "revoke"] as const).map((what) => (
              <button
                key={what}
                type="button"
                className="button"
                aria-label={t(`tokens.${what}.of`, { name })}
                onClick={() => {
                  ask(what, token);
                }}
              >
                {t(`tokens.${what}`)}
              </button>
            ))}
          </span>
        )}
      </td>
    </tr>
  );
}

function TokenName({ token }: { readonly token: TokenView }): ReactNode {
  const { t } = useTexts();
  const { data } = useSelf();
  const status = statusOf(token, useServerNow());
  return (
    <span className="cell-line">
      <span className="job-text row-link" translate="no" dir="auto">
        {visible(token.name)}
      </span>
      {data?.id === token.id && <Badge tone="accent">{t("tokens.own")}</Badge>}
      {status !== "active" && (
        <Badge tone="neutral" icon="cross">
          {t(`tokens.status.${status}`)}
        </Badge>
      )}
    </span>
  );
}

function Tags({ texts }: { readonly texts: readonly string[] }): ReactNode {
  return (
    <span className="cell-line">
      {texts.map((text) => (
        <span key={text} className="tag job-text" translate="no">
          {visible(text)}
        </span>
      ))}
    </span>
  );
}
