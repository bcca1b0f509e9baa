import type { RefObject } from "react";
import { useShortcut } from "../../shell/shortcuts.js";

/** `j` and `k` go down and up the rows, `x` ticks the row where the focus is. Enter follows its link, as links do. */
export function useRowKeys(
  frame: RefObject<HTMLElement | null>,
  onToggle: (id: string, range: boolean) => void,
): void {
  useShortcut("KeyJ", () => {
    step(frame.current, 1);
  });
  useShortcut("KeyK", () => {
    step(frame.current, -1);
  });
  useKeyX(frame, onToggle);
}

function useKeyX(frame: RefObject<HTMLElement | null>, onToggle: (id: string, range: boolean) => void): void {
  useShortcut("KeyX", ({ shiftKey }) => {
    const id = rowOfFocus(frame.current)?.dataset["job"];
    if (id !== undefined) onToggle(id, shiftKey);
  });
}

function rowsOf(frame: HTMLElement | null): HTMLElement[] {
  return [...(frame?.querySelectorAll<HTMLElement>("tr[data-job]") ?? [])];
}

function rowOfFocus(frame: HTMLElement | null): HTMLElement | null {
  const row = document.activeElement?.closest<HTMLElement>("tr[data-job]") ?? null;
  return row !== null && frame?.contains(row) === true ? row : null;
}

function step(frame: HTMLElement | null, by: 1 | -1): void {
  const rows = rowsOf(frame);
  const current = rowOfFocus(frame);
  const at = current === null ? (by === 1 ? -1 : rows.length) : rows.indexOf(current);
  const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
  next?.querySelector("a")?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
