import { useEffect, useRef, useState, type RefObject } from "react";

interface Seen<Element> {
  readonly ref: RefObject<Element | null>;
  /** Whether it has been in sight. */
  readonly seen: boolean;
}

/** Whether an element has come into sight, so that what it needs is read only then. */
export function useSeen<Shown extends Element>(): Seen<Shown> {
  const ref = useRef<Shown>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || seen) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [seen]);
  return { ref, seen };
}
