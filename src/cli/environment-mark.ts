import type { EnvironmentMark } from "../server/server-facts.js";
import { quoted, type Settings } from "./settings.js";

const MAX_LABEL_LENGTH = 40;

/** What the dashboard shows on every page, so that nobody takes one installation for another. */
export function readEnvironmentMark(settings: Settings): EnvironmentMark | null {
  const label = settings.parsed("KONVEIER_ENV_LABEL", readLabel);
  const color = settings.parsed("KONVEIER_ENV_COLOR", readColor);
  if (label !== undefined) return { label, color: color ?? null };
  if (color !== undefined) settings.fault("KONVEIER_ENV_COLOR", "needs KONVEIER_ENV_LABEL, which is not set");
  return null;
}

function readLabel(text: string): string {
  const label = text.trim();
  if (label.length >= 1 && label.length <= MAX_LABEL_LENGTH && /^[^\p{C}]+$/u.test(label)) return label;
  throw new Error(`must be 1 to ${MAX_LABEL_LENGTH} printable characters, not ${quoted(text)}`);
}

/** One form only: what is shown must never become part of a style sheet in another way. */
function readColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase();
  throw new Error(`must be a colour such as #b91c1c, not ${quoted(text)}`);
}
