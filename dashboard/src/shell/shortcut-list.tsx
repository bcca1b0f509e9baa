import { useEffect, useSyncExternalStore, type ReactNode } from "react";
import type { MessageKey } from "../i18n/catalogue.js";
import { useTexts } from "../i18n/text.js";
import { Dialog } from "../ui/dialog.js";
import { usePreferences } from "./preferences.js";
import { SECTIONS } from "./routes.js";
import { isFree } from "./shortcuts.js";

/** The shortcuts beside those that go to a section. A page with shortcuts of its own adds them here. */
const GROUPS = [
  {
    title: "shortcuts.everywhere",
    keys: [
      { keys: ["/"], text: "shortcuts.search" },
      { keys: ["N"], text: "newJob.open" },
      { keys: ["R"], text: "shortcuts.live" },
      { keys: ["?"], text: "shortcuts.help" },
      { keys: ["Esc"], text: "shortcuts.close" },
    ],
  },
] as const satisfies readonly {
  title: MessageKey;
  keys: readonly { keys: readonly string[]; text: MessageKey }[];
}[];

let open = false;
const listeners = new Set<() => void>();

function setOpen(value: boolean): void {
  open = value;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function showShortcuts(): void {
  setOpen(true);
}

/** The list of all shortcuts, which `?` opens. */
export function ShortcutList(): ReactNode {
  const isOpen = useSyncExternalStore(subscribe, () => open);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // By its sign or by its place: with a Cyrillic layout the question mark is elsewhere.
      const asks = event.key === "?" || (event.code === "Slash" && event.shiftKey);
      if (!asks || !isFree(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    // Before the search box, whose key is the same without shift.
    document.addEventListener("keydown", press, { capture: true });
    return () => {
      document.removeEventListener("keydown", press, { capture: true });
    };
  }, []);
  return isOpen ? <ShortcutDialog /> : null;
}

function ShortcutDialog(): ReactNode {
  const { t } = useTexts();
  const { shortcuts } = usePreferences();
  return (
    <Dialog
      title={t("shortcuts.title")}
      onClose={() => {
        setOpen(false);
      }}
    >
      {!shortcuts && <p className="notice warn">{t("shortcuts.off")}</p>}
      <div className="shortcut-groups">
        {GROUPS.map(({ title, keys }) => (
          <Group key={title} title={t(title)} items={keys.map((item) => ({ ...item, text: t(item.text) }))} />
        ))}
        <Group
          title={t("shortcuts.go")}
          items={SECTIONS.map(({ key, title }) => ({ keys: ["G", key.slice(3)], text: t(title) }))}
        />
      </div>
      <p className="hint">{t("shortcuts.note")}</p>
      <div className="dialog-actions">
        <button
          type="button"
          className="button"
          autoFocus
          onClick={() => {
            setOpen(false);
          }}
        >
          {t("shell.close")}
        </button>
      </div>
    </Dialog>
  );
}

function Group({
  title,
  items,
}: {
  readonly title: string;
  readonly items: readonly { readonly keys: readonly string[]; readonly text: string }[];
}): ReactNode {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="shortcuts">
        {items.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
