import type { Retention } from "../store/maintenance.js";

/** Which installation this is, so that nobody takes production for something else. */
export interface EnvironmentMark {
  readonly label: string;
  /** `#rrggbb`; `null`: none was chosen. */
  readonly color: string | null;
}

/** A setting as the server runs with it. */
export interface EffectiveSetting {
  /** Of its variable. */
  readonly name: string;
  /** `null`: it has none, or it is secret. Never a path of the file system. */
  readonly value: string | null;
  readonly secret: boolean;
  /** `file`: the file that the variable `<name>_FILE` names. */
  readonly source: "default" | "environment" | "flag" | "file";
}

/** What a server tells about itself that only who starts it knows. */
export interface ServerFacts {
  readonly environment: EnvironmentMark | null;
  /** Of the loops that run beside it; `null`: not known. */
  readonly retention: Retention | null;
  readonly settings: readonly EffectiveSetting[];
}

export const NO_FACTS: ServerFacts = { environment: null, retention: null, settings: [] };
