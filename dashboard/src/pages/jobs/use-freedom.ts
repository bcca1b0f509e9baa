import { useEffect, useMemo, useState } from "react";

/** Whether rows may come, go and move: not under a pointer, a focus, a selection, or an eye that has gone down the page. */
export interface Freedom {
  readonly free: boolean;
  /** To be put on what must hold still. */
  readonly watch: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocus: () => void;
    readonly onBlur: (event: { currentTarget: Element; relatedTarget: EventTarget | null }) => void;
  };
  /** Something else that needs the rows where they are: a selection, an open menu or dialog. */
  readonly setBusy: (busy: boolean) => void;
}

export function useFreedom(firstPage: boolean): Freedom {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [busy, setBusy] = useState(false);
  const atTop = useAtTop();
  const watch = useMemo(
    () => ({
      onPointerEnter: () => {
        setPointed(true);
      },
      onPointerLeave: () => {
        setPointed(false);
      },
      onFocus: () => {
        setFocused(true);
      },
      onBlur: (event: { currentTarget: Element; relatedTarget: EventTarget | null }) => {
        if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget)) {
          setFocused(false);
        }
      },
    }),
    [],
  );
  return { free: firstPage && atTop && !pointed && !focused && !busy, watch, setBusy };
}

function useAtTop(): boolean {
  const [atTop, setAtTop] = useState(true);
  useEffect(() => {
    const look = (): void => {
      setAtTop(scrollY < 100);
    };
    look();
    document.addEventListener("scroll", look, { passive: true });
    return () => {
      document.removeEventListener("scroll", look);
    };
  }, []);
  return atTop;
}
