/** The colours of the page's theme, as a canvas understands them: what `light-dark()` means where the element stands. */
export function coloursOf<Name extends string>(
  element: Element,
  names: readonly Name[],
): Record<Name, string> {
  const probe = element.ownerDocument.createElement("span");
  element.append(probe);
  const entries = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(entries) as Record<Name, string>;
}
