import { useEffect, useRef } from "react";
import { preferencesNow } from "./preferences.js";

/**
 * Runs when a key is pressed that no field wants. Keys are named by their place on the keyboard (`KeyR`), so that they
 * work with a Cyrillic layout as well.
 */
export function useShortcut(code: string, run: (event: KeyboardEvent) => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.code !== code || !isFree(event)) return;
      event.preventDefault();
      latest.current(event);
    };
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("keydown", press);
    };
  }, [code]);
}

/** Whether a key press is meant for the page: not for a field, a menu, a dialog, or the browser. */
export function isFree(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented)
    return false;
  if (!preferencesNow().shortcuts) return false;
  // Also while nothing in the dialog has the focus, such as after Tab on its last button.
  if (document.querySelector("dialog:modal") !== null) return false;
  const { target } = event;
  if (!(target instanceof Element)) return true;
  return target.closest("input, textarea, select, [contenteditable], [role=menu]") === null;
}
