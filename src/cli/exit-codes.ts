/** How the program ends, for whoever started it. */
export const EXIT = {
  ok: 0,
  failure: 1,
  /** A command or option that does not exist. */
  usage: 2,
  /** `EX_CONFIG` of sysexits.h: starting again without a change cannot help. */
  configuration: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
