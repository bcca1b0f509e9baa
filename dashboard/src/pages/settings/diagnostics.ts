import type { InfoView } from "../../api/types.js";
import type { Preferences } from "../../shell/preferences.js";

/** What a bug report wants to know. No settings of the server, no names, nothing that a token shows. */
export function diagnosticsOf(
  info: InfoView | undefined,
  browser: {
    readonly preferences: Preferences;
    readonly userAgent: string;
    readonly languages: readonly string[];
    readonly zone: string;
    readonly window: string;
    readonly live: string;
    /** `null`: not known. */
    readonly clockOffsetMs: number | null;
    readonly capabilities: readonly string[];
    readonly page: string;
  },
): string {
  const server =
    info === undefined
      ? null
      : {
          version: info.version,
          store: info.store,
          startedAt: info.startedAt,
          now: info.now,
          limits: info.limits,
          retention: info.retention,
        };
  return JSON.stringify({ server, browser }, null, 2);
}
