import { Component, type ReactNode } from "react";
import { useTexts } from "../i18n/text.js";

/** One broken part must not blank the page. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { readonly broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    return this.state.broken ? <Broken /> : this.props.children;
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
