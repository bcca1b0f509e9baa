import { useSyncExternalStore } from "react";

/** How far the server's clock is ahead of this one's. Ages are by the server's clock, or a fresh job would look old. */
let offsetMs = 0;
let isKnown = false;
/** So long nobody waits for the server's first word: where its stream cannot be had, this clock must do. */
const PATIENCE_MS = 2_000;
/** Less than that are the steps in which clocks are kept right. */
const STEP_MS = 1_000;
let hear: () => void = () => undefined;
const firstWord = new Promise<void>((resolve) => {
  hear = resolve;
});
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

export function setServerTime(at: number): void {
  heedStepBack();
  offsetMs = at - Date.now();
  isKnown = true;
  hear();
  tick();
}

export function serverNow(): number {
  heedStepBack();
  return Date.now() + offsetMs;
}

/** This clock against one that nobody sets. While a machine sleeps it runs ahead; it falls behind only when it is set. */
let lead = Date.now() - performance.now();

function heedStepBack(): void {
  const now = Date.now() - performance.now();
  if (now < lead - STEP_MS) offsetMs += lead - now;
  lead = now;
}

/** The server's time as soon as it is known, for what is asked of the server before the page has heard of it. */
export async function knownServerNow(): Promise<number> {
  const timeout = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  await Promise.race([firstWord, timeout]);
  return serverNow();
}

/** `null`: the server has not said its time yet. */
export function clockOffsetMs(): number | null {
  return isKnown ? offsetMs : null;
}

export function useClockOffset(): number | null {
  return useSyncExternalStore(subscribe, clockOffsetMs);
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
