import { useEffect, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useLiveState } from "../live/live.js";
import { SECTIONS } from "./routes.js";
import { isFree, useShortcut } from "./shortcuts.js";

const SECOND_KEY_MS = 1_500;

/** The shortcuts of every page: `g` and a letter go to a section, `r` pauses and resumes. */
export function GlobalShortcuts(): ReactNode {
  const [, navigate] = useLocation();
  const { paused, setPaused } = useLiveState();
  useShortcut("KeyR", (event) => {
    if (!event.shiftKey) setPaused(!paused);
  });
  useEffect(() => {
    // Times are counted from the opening of the page, so 0 would be a moment just past.
    let since = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent): void => {
      if (!isFree(event)) return;
      const section = SECTIONS.find(({ key }) => key === event.code);
      if (section !== undefined && event.timeStamp - since < SECOND_KEY_MS) {
        event.preventDefault();
        navigate(section.path);
      }
      since = event.code === "KeyG" ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    // Before the other shortcuts, so that the second key is not taken for one of them.
    document.addEventListener("keydown", press, { capture: true });
    return () => {
      document.removeEventListener("keydown", press, { capture: true });
    };
  }, [navigate]);
  return null;
}
