import { useEffect, useRef, type RefObject } from "react";

/**
 * Keeps the chosen one of a row of tabs in sight: on a phone it may be beyond the edge.
 *
 * @param key changes whenever another one is chosen, or their widths change
 */
export function useChosenTab(key: string): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = tabs;
    const chosen = current?.querySelector<HTMLElement>("[aria-current]");
    if (current === null || chosen == null) return;
    const { left, width } = chosen.getBoundingClientRect();
    const middle = left + width / 2 - current.getBoundingClientRect().left - current.clientWidth / 2;
    current.scrollLeft += middle;
  }, [key]);
  return tabs;
}
