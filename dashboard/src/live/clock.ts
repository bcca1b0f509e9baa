import { useSyncExternalStore } from "react";

/** How far the server's clock is ahead of this one's. Ages are by the server's clock, or a fresh job would look old. */
let offsetMs = 0;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

export function setServerTime(at: number): void {
  offsetMs = at - Date.now();
  tick();
}

export function serverNow(): number {
  return Date.now() + offsetMs;
}

export function clockOffsetMs(): number {
  return offsetMs;
}

/** The server's time, which goes on once a second: one timer for everything on the page that shows an age. */
export function useServerNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    tick();
    timer = setInterval(tick, 1_000);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function tick(): void {
  now = serverNow();
  for (const listener of listeners) listener();
}
