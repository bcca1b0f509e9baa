import { useSyncExternalStore } from "react";

/**
 * Whether this browser is signed in, as far as the answers tell. A refusal does not leave the page: the sign-in
 * dialog comes over it, and afterwards everything is as it was.
 */
let open = true;
const listeners = new Set<() => void>();
type News = "signed in" | "left";
/** Who signs in or leaves in one tab does so in all of them: they have the same cookie. */
const otherTabs = channel();
otherTabs?.addEventListener("message", ({ data }: MessageEvent<News>) => {
  if (data === "left") forget();
  else set(true);
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
  open = value;
  for (const listener of listeners) listener();
}

/** The server says that the session is over. */
export function signedOut(): void {
  if (open) set(false);
}

export function signedIn(): void {
  set(true);
  tell("signed in");
}

/** Somebody has ended the session on purpose: nothing of what it has read may stay where others can see it. */
export function left(): void {
  tell("left");
  forget();
}

function tell(news: News): void {
  otherTabs?.postMessage(news);
}

/** Whatever the page holds, and wherever it holds it, goes with the page. It asks for a token when it is back. */
function forget(): void {
  location.reload();
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
