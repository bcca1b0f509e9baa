import { useCallback, useEffect, useRef } from "react";

/** Whether the component is still on the page: a late answer must not close or open what came after it. */
export function useIsHere(): () => boolean {
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return useCallback(() => here.current, []);
}
