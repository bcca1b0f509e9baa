import { useSyncExternalStore } from "react";
import { usePreferences } from "../shell/preferences.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Another text for another theme, whoever changes it: the reader or the system. */
export function useThemeChange(): string {
  const { theme } = usePreferences();
  const system = useSyncExternalStore(subscribe, () => dark.matches);
  return theme === "system" ? String(system) : theme;
}

function subscribe(listener: () => void): () => void {
  dark.addEventListener("change", listener);
  return () => {
    dark.removeEventListener("change", listener);
  };
}
