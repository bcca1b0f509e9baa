import { useId, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";
import { placeBeside } from "./place-beside.js";

/**
 * A button that opens a menu: the menu button pattern of ARIA, over the browser's own popover, which lies above
 * everything, closes at a press beside it and at Escape, and gives the focus back to the button.
 */
export function MenuButton({
  label,
  face,
  className = "button quiet",
  onOpenChange,
  children,
}: {
  /** Names the menu, and the button too. */
  readonly label: string;
  /** What is seen of the button. */
  readonly face: ReactNode;
  readonly className?: string;
  readonly onOpenChange?: (open: boolean) => void;
  /** The items. They are made when the menu opens. */
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const change = (next: boolean): void => {
    setOpen(next);
    onOpenChange?.(next);
  };

  useEffect(() => {
    if (!open) return;
    // A menu that stayed where it was while the page moves would belong to another row.
    const hide = ({ target }: Event): void => {
      // Something else may scroll by itself, such as the tabs above when their counts are there.
      const moves = !(target instanceof Node) || target.contains(button.current);
      if (moves) menu.current?.hidePopover();
    };
    // The items are made before the menu shows; from the next frame on it has a size, and can take the focus. Before
    // that frame the browser still tells of scrolling that was over when the button was pressed.
    const frame = requestAnimationFrame(() => {
      if (menu.current === null || button.current === null) return;
      placeBeside(menu.current, button.current);
      itemsOf(menu.current)[0]?.focus();
      addEventListener("scroll", hide, { capture: true });
      addEventListener("resize", hide);
    });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", hide, { capture: true });
      removeEventListener("resize", hide);
    };
  }, [open]);

  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          menu.current?.showPopover();
        }}
      >
        {face}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="popover menu"
        onKeyDown={press}
        onBeforeToggle={({ newState }) => {
          if (newState === "open") change(true);
        }}
        // Not before it is closed: the browser gives the focus back only from items that are still there.
        onToggle={({ newState }) => {
          if (newState === "closed") change(false);
        }}
      >
        {open && children}
      </div>
    </>
  );
}

/** Something to do. The menu closes first, so that a dialog which it opens gives the focus back to the button. */
export function MenuItem({
  icon,
  danger = false,
  refusal = null,
  onChoose,
  children,
}: {
  readonly icon?: IconName;
  readonly danger?: boolean;
  /** Why it cannot be chosen; `null`: it can be. */
  readonly refusal?: string | null;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={danger ? "menu-item danger" : "menu-item"}
      // Not disabled for the browser: the reason must be reachable by keyboard.
      aria-disabled={refusal !== null}
      onClick={({ currentTarget }) => {
        if (refusal !== null) return;
        currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
        onChoose();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>
        {children}
        {refusal !== null && <span className="menu-reason">{refusal}</span>}
      </span>
    </button>
  );
}

/** One of several that exclude each other (`radio`), or one that is on or off (`checkbox`). The menu stays open. */
export function MenuChoice({
  kind,
  chosen,
  onChoose,
  children,
}: {
  readonly kind: "radio" | "checkbox";
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <button
      type="button"
      role={`menuitem${kind}`}
      tabIndex={-1}
      aria-checked={chosen}
      className="menu-item"
      onClick={onChoose}
    >
      <span className="menu-mark">{chosen && <Icon name="check" />}</span>
      {children}
    </button>
  );
}

/** Items that belong together, under a heading. */
export function MenuGroup({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <div id={id} role="presentation" className="menu-header">
        {title}
      </div>
      {children}
    </div>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("button")];
}

/** The arrows, Home and End go through the items, a letter to the next one that begins with it; Tab leaves. */
function press(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: menu, key } = event;
  if (key === "Tab") {
    menu.hidePopover();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
  const items = itemsOf(menu);
  const at = items.findIndex((item) => item === document.activeElement);
  const next = itemFor(key, items, at);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function itemFor(key: string, items: readonly HTMLElement[], at: number): HTMLElement | undefined {
  switch (key) {
    case "ArrowDown":
      return items[(at + 1) % items.length];
    case "ArrowUp":
      return items.at(at <= 0 ? -1 : at - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default:
      if (key.length !== 1 || key === " ") return undefined;
      return [...items.slice(at + 1), ...items.slice(0, at + 1)].find((item) =>
        item.textContent.trim().toLowerCase().startsWith(key.toLowerCase()),
      );
  }
}
