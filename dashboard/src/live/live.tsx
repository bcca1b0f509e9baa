import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { onSessionChange, signedOut, isSignedIn } from "../shell/session.js";
import { setServerTime } from "./clock.js";
import { connect, type Connection } from "./connection.js";
import type { LiveMessage, StreamStatus } from "./frames.js";
import { Refresher } from "./refresher.js";

export type LiveStatus = Exclude<StreamStatus, "signed-out"> | "paused" | "polling";

/** So often, what is on the screen is read without a stream; with one, only what could not be read. */
const POLL_MS = 5_000;
const HIDDEN_MS = 60_000;

/** Keeps what is on the screen up to date, unless the reader has paused it or looks elsewhere. */
class Live {
  #status: StreamStatus = "connecting";
  #paused = false;
  #version: string | null = null;
  #outdated = false;
  #hidden: ReturnType<typeof setTimeout> | null = null;
  #poll: ReturnType<typeof setInterval> | null = null;
  readonly #listeners = new Set<() => void>();
  readonly #connection: Connection;

  constructor(private readonly refresher: Refresher) {
    this.#connection = connect((message) => {
      this.#hear(message);
    });
  }

  get status(): LiveStatus {
    if (this.#paused) return "paused";
    if (this.#status === "live") return "live";
    return this.#status === "signed-out" ? "reconnecting" : this.#status;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Whether the server has another version than the one that this page came from. */
  get outdated(): boolean {
    return this.#outdated;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): () => void {
    this.#connection.look();
    const look = (): void => {
      this.#visibilityChanged();
    };
    const leave = (): void => {
      this.#connection.leave();
    };
    const stopListening = onSessionChange(() => {
      if (!isSignedIn()) return;
      this.#connection.hurry();
      this.refresher.anew();
    });
    document.addEventListener("visibilitychange", look);
    addEventListener("pagehide", leave);
    addEventListener("pageshow", look);
    addEventListener("online", look);
    this.#poll = setInterval(() => {
      if (!this.#mayRead()) return;
      if (this.#status === "live") this.refresher.failed();
      else this.refresher.everything();
    }, POLL_MS);
    return () => {
      stopListening();
      document.removeEventListener("visibilitychange", look);
      removeEventListener("pagehide", leave);
      removeEventListener("pageshow", look);
      removeEventListener("online", look);
      if (this.#poll !== null) clearInterval(this.#poll);
      this.refresher.stop();
      leave();
    };
  }

  /** While paused nothing is read that has been read once, whatever happens. */
  setPaused(paused: boolean): void {
    this.#paused = paused;
    if (paused) this.refresher.stop();
    else this.refresher.everything();
    this.#changed();
  }

  #mayRead(): boolean {
    return !this.#paused && !document.hidden && isSignedIn();
  }

  #visibilityChanged(): void {
    if (this.#hidden !== null) clearTimeout(this.#hidden);
    this.#hidden = null;
    if (document.hidden) {
      this.#hidden = setTimeout(() => {
        this.#connection.leave();
      }, HIDDEN_MS);
      return;
    }
    this.#connection.look();
    this.#connection.hurry();
    if (this.#mayRead()) this.refresher.everything();
  }

  #hear(message: LiveMessage): void {
    if (message.type === "status") {
      this.#status = message.status;
      if (message.status === "signed-out") signedOut();
    } else {
      setServerTime(Date.parse(message.data.at));
      if (message.type === "snapshot") this.#begin(message.data.version);
      else if (this.#mayRead()) {
        const { topics, queues, gone } = message.data;
        this.refresher.changed(topics, [...queues.map(({ name }) => name), ...gone]);
      }
    }
    this.#changed();
  }

  #begin(version: string): void {
    this.#version ??= version;
    this.#outdated = version !== this.#version;
    // What happened between two streams was told to nobody.
    if (this.#mayRead()) this.refresher.everything();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const LiveContext = createContext<Live | null>(null);

export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const [live] = useState(() => new Live(new Refresher(client)));
  useEffect(() => live.start(), [live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

export interface LiveState {
  readonly status: LiveStatus;
  readonly paused: boolean;
  readonly outdated: boolean;
  readonly setPaused: (paused: boolean) => void;
}

export function useLiveState(): LiveState {
  const live = useContext(LiveContext);
  if (live === null) throw new Error("There is no LiveProvider around this");
  const status = useSyncExternalStore(live.subscribe, () => live.status);
  const outdated = useSyncExternalStore(live.subscribe, () => live.outdated);
  return useMemo(
    () => ({
      status,
      outdated,
      paused: status === "paused",
      setPaused: (paused: boolean) => {
        live.setPaused(paused);
      },
    }),
    [live, status, outdated],
  );
}
