import { useEffect, useRef, type ReactNode } from "react";
import { useLocation } from "wouter";
import { usePlace } from "./page-title.js";

/**
 * What a browser does by itself when it loads another page: the focus begins at the content, the page at its top, and a
 * screen reader says where one is.
 */
export function PageNews(): ReactNode {
  const place = usePlace();
  const [path] = useLocation();
  const before = useRef(path);
  const returned = useRef(false);
  useEffect(() => {
    const pop = (): void => {
      returned.current = true;
    };
    addEventListener("popstate", pop);
    return () => {
      removeEventListener("popstate", pop);
    };
  }, []);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    document.getElementById("content")?.focus({ preventScroll: true });
    // Going back, the browser puts the page where it was.
    if (!returned.current) scrollTo(0, 0);
    returned.current = false;
  }, [path]);
  return (
    <p className="visually-hidden" role="status">
      {place}
    </p>
  );
}
