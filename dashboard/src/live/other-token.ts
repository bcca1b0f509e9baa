const listeners = new Set<() => void>();

/** Another token reads than before: what its predecessor was told goes, also where no query holds it. */
export function otherToken(): void {
  for (const listener of listeners) listener();
}

export function onOtherToken(listener: () => void): void {
  listeners.add(listener);
}
