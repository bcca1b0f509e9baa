/** What `GET /v1/info` answers. */
export interface InfoView {
  readonly version: string;
  readonly store: { readonly kind: string; readonly version: string; readonly schemaVersion: number };
  readonly startedAt: string;
  readonly now: string;
  readonly environment: { readonly label: string; readonly color: string | null } | null;
  readonly limits: Readonly<Record<string, number>>;
  readonly retention: Retention | null;
  readonly trustedProxies: number;
  /** `null` for all but administrators. */
  readonly settings: readonly SettingView[] | null;
}

/** `null`: kept without limit. */
export interface Retention {
  readonly completedMs: number | null;
  readonly cancelledMs: number | null;
  readonly deadMs: number | null;
  readonly maxCompleted: number | null;
}

export interface SettingView {
  readonly name: string;
  readonly value: string | null;
  readonly secret: boolean;
  readonly source: "default" | "environment" | "flag" | "file";
}
