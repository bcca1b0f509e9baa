/** How far down a page still counts as its top, in pixels. */
const TOP = 100;

/**
 * Whether a reader is at work in a part of the page, so that nothing in it may move: it is under the pointer, has the
 * focus or marked text, or the page is scrolled down.
 */
export function isAtWork(part: Element | null): boolean {
  if (part === null) return false;
  const marked = getSelection();
  return (
    scrollY > TOP ||
    part.matches(":hover") ||
    part.contains(document.activeElement) ||
    (marked !== null && !marked.isCollapsed && part.contains(marked.anchorNode))
  );
}
