import { useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useTexts } from "../i18n/text.js";
import { Icon } from "../ui/icon.js";
import { Modal } from "../ui/modal.js";
import { Logo } from "./logo.js";
import { SECTIONS } from "./routes.js";
import { useDeadCount } from "./dead-count.js";

/** The rail of sections. */
export function Navigation({ onChosen }: { readonly onChosen?: () => void }): ReactNode {
  const { t, format } = useTexts();
  const [location] = useLocation();
  const dead = useDeadCount();
  return (
    <nav className="rail" aria-label={t("shell.navigation")}>
      <Link href="/" className="brand" onClick={onChosen}>
        <Logo />
        {t("app.name")}
      </Link>
      {SECTIONS.map(({ path, title, icon }) => (
        <Link
          key={path}
          href={path}
          className="rail-link"
          onClick={onChosen}
          aria-current={isWithin(location, path) ? "page" : undefined}
        >
          <Icon name={icon} />
          {t(title)}
          {path === "/dead" && dead > 0 && <span className="count">{format.compact(dead)}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** The same in a drawer, for windows without room for a rail. */
export function NavigationButton(): ReactNode {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <button
        type="button"
        className="button quiet icon only-narrow"
        aria-label={t("shell.menu")}
        aria-expanded={open}
        onClick={() => {
          setOpen(true);
        }}
      >
        <Icon name="menu" />
      </button>
      {open && (
        <Modal className="drawer" label={t("shell.navigation")} onClose={close}>
          <Navigation onChosen={close} />
        </Modal>
      )}
    </>
  );
}

function isWithin(location: string, path: string): boolean {
  return path === "/" ? location === "/" : location === path || location.startsWith(`${path}/`);
}
