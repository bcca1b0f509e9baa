import { Component, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";

interface Props {
  /** What stands there instead. */
  readonly fallback?: ReactNode;
  /** Where one is: elsewhere it may not be broken. */
  readonly place?: string;
  readonly children: ReactNode;
}

/** One broken part must not blank the page. */
export class ErrorBoundary extends Component<Props, { readonly broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { readonly broken: boolean } {
    return { broken: true };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.broken && before.place !== this.props.place) this.setState({ broken: false });
  }

  override render(): ReactNode {
    return this.state.broken ? (this.props.fallback ?? <Broken />) : this.props.children;
  }
}

function Broken(): ReactNode {
  const { t } = useTexts();
  return (
    <div className="notice bad" role="alert">
      {t("error.panel")}
    </div>
  );
}

/** When even what is around every page is broken. */
export function BrokenPage(): ReactNode {
  const { t } = useTexts();
  return (
    <div className="empty" role="alert">
      <h1>{t("error.page")}</h1>
      <p>{t("error.page.why")}</p>
      <button
        type="button"
        className="button primary"
        onClick={() => {
          location.reload();
        }}
      >
        {t("live.reload")}
      </button>
    </div>
  );
}
