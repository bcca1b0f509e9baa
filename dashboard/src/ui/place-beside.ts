/** Between the two, and between the menu and the edge of the window, in pixels. */
const GAP = 4;
const EDGE = 8;

/** Puts what lies above the page below a button, ending where the button ends; above it where there is more room. */
export function placeBeside(element: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const below = innerHeight - at.bottom - GAP - EDGE;
  const above = at.top - GAP - EDGE;
  const { style } = element;
  style.maxHeight = `min(60vh, ${String(Math.max(below, above))}px)`;
  const { width, height } = element.getBoundingClientRect();
  const top = height <= below || below >= above ? at.bottom + GAP : at.top - GAP - height;
  const left = Math.max(EDGE, Math.min(at.right - width, innerWidth - width - EDGE));
  style.top = `${String(top)}px`;
  style.left = `${String(left)}px`;
}
