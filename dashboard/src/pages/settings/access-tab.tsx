import { useState, type ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { read } from "../../api/request.js";
import type { TokenView } from "../../api/types.js";
import { useTexts } from "../../i18n/text.js";
import { useServerNow } from "../../live/clock.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { AllowedButton } from "../../ui/allowed-button.js";
import { LoadingRows } from "../../ui/loading-rows.js";
import { ProblemNote } from "../../ui/problem-note.js";
import { CreateToken, RevokeToken, RotateToken } from "./token-dialogs.js";
import { statusOf } from "./token-status.js";
import { TokenTable } from "./token-table.js";

/** What is asked about a token, or about a new one. */
type Asked = { readonly what: "create" } | { readonly what: "rotate" | "revoke"; readonly token: TokenView };

export function AccessTab(): ReactNode {
  const { t } = useTexts();
  const { data, error, refetch } = useLiveQuery(
    ["tokens"],
    (signal) => read<{ items: TokenView[] }>("/v1/tokens", {}, signal),
    { topics: ["tokens"] },
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = (): void => {
    setAsked(null);
  };
  return (
    <section className="card" aria-labelledby="tokens-title">
      <header className="card-header">
        <div>
          <h2 id="tokens-title">{t("tokens.title")}</h2>
          <p className="hint">{t("tokens.lead")}</p>
        </div>
        <AllowedButton
          needs="administer"
          tone="primary"
          icon="plus"
          onPress={() => {
            setAsked({ what: "create" });
          }}
        >
          {t("tokens.new")}
        </AllowedButton>
      </header>
      {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
      {data === undefined ? (
        <LoadingRows />
      ) : (
        <Shown
          tokens={data.items}
          ask={(what, token) => {
            setAsked({ what, token });
          }}
        />
      )}
      {asked?.what === "create" && <CreateToken onClose={close} />}
      {asked?.what === "rotate" && <RotateToken token={asked.token} onClose={close} />}
      {asked?.what === "revoke" && <RevokeToken token={asked.token} onClose={close} />}
    </section>
  );
}

function Shown({
  tokens,
  ask,
}: {
  readonly tokens: readonly TokenView[];
  readonly ask: (what: "rotate" | "revoke", token: TokenView) => void;
}): ReactNode {
  const { t } = useTexts();
  const [parameters] = useSearchParams();
  const now = useServerNow();
  const active = tokens.filter((token) => statusOf(token, now) === "active");
  const over = tokens.length - active.length;
  const showsAll = parameters.has("over");
  const shown = showsAll ? tokens : active;
  return (
    <>
      {shown.length > 0 && <TokenTable tokens={shown} ask={ask} />}
      {tokens.length === 0 && <p className="empty">{t("tokens.none")}</p>}
      {tokens.length > 0 && shown.length === 0 && <p className="empty">{t("tokens.noneActive")}</p>}
      {over > 0 && (
        <footer className="card-footer">
          <Link
            className="button"
            href={showsAll ? "/settings?tab=access" : "/settings?tab=access&over=1"}
            replace
          >
            {showsAll ? t("tokens.over.hide") : t("tokens.over.show", { count: over })}
          </Link>
        </footer>
      )}
    </>
  );
}
