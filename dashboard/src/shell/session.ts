import { useSyncExternalStore } from "react";

/**
 * Whether this browser is signed in, as far as the answers tell. A refusal does not leave the page: the sign-in
 * dialog comes over it, and afterwards everything is as it was.
 */
let open = true;
const listeners = new Set<() => void>();
/** Who signs in in one tab does so in all of them: they have the same cookie. */
const otherTabs = channel();
otherTabs?.addEventListener("message", () => {
  set(true);
});

function channel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel("konveier session");
  } catch {
    // The browser has none, or forbids it here: other tabs notice with their next request.
    return null;
  }
}

function set(value: boolean): void {
  if (open === value) return;
  open = value;
  for (const listener of listeners) listener();
}

export function signedOut(): void {
  set(false);
}

export function signedIn(): void {
  set(true);
  otherTabs?.postMessage("signed in");
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isSignedIn(): boolean {
  return open;
}

export function useSignedIn(): boolean {
  return useSyncExternalStore(onSessionChange, isSignedIn);
}
