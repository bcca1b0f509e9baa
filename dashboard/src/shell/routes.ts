import type { MessageKey } from "../i18n/catalogue.js";
import type { IconName } from "../ui/icon.js";

/** The sections of the dashboard, in the order of the navigation. `key` is what goes there after `g`. */
export const SECTIONS = [
  { path: "/", title: "nav.overview", icon: "overview", key: "KeyO" },
  { path: "/queues", title: "nav.queues", icon: "queues", key: "KeyQ" },
  { path: "/jobs", title: "nav.jobs", icon: "jobs", key: "KeyJ" },
  { path: "/flows", title: "nav.flows", icon: "flows", key: "KeyF" },
  { path: "/dead", title: "nav.dead", icon: "dead", key: "KeyD" },
  { path: "/schedules", title: "nav.schedules", icon: "schedules", key: "KeyS" },
  { path: "/workers", title: "nav.workers", icon: "workers", key: "KeyW" },
  { path: "/metrics-ui", title: "nav.metrics", icon: "metrics", key: "KeyM" },
  { path: "/settings", title: "nav.settings", icon: "settings", key: "KeyE" },
] as const satisfies readonly { path: string; title: MessageKey; icon: IconName; key: string }[];

/** The list of jobs with a filter; with a cursor, one of its later pages. */
export function jobsPath(query: string, state?: string, cursor: string | null = null): string {
  const parameters = new URLSearchParams();
  if (query !== "") parameters.set("q", query);
  if (state !== undefined) parameters.set("state", state);
  if (cursor !== null) parameters.set("cursor", cursor);
  return parameters.size === 0 ? "/jobs" : `/jobs?${parameters.toString()}`;
}

export function jobPath(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`;
}

/** The list of flows: those of one state, of one name, from a cursor on. */
export function flowsPath(only: Readonly<Record<"state" | "name" | "cursor", string | null>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(only)) if (value !== null) parameters.set(name, value);
  return parameters.size === 0 ? "/flows" : `/flows?${parameters.toString()}`;
}

export function flowPath(id: string): string {
  return `/flows/${encodeURIComponent(id)}`;
}

export function queuePath(name: string): string {
  return `/queues/${encodeURIComponent(name)}`;
}

export function schedulePath(key: string): string {
  return `/schedules/${encodeURIComponent(key)}`;
}

/** A value of the filter language, quoted where it must be. */
export function filterValue(text: string): string {
  return /^[A-Za-z0-9._:/@-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A name in an address; as it stands there when it is not encoded soundly. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
