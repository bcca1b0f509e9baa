/** How the program ends, for whoever started it. */
export const EXIT = {
  ok: 0,
  failure: 1,
  /** A command, option or value that does not exist, or a confirmation that is missing. Nothing was changed. */
  usage: 2,
  notFound: 3,
  /** The state of what was named does not allow it, or it was changed meanwhile. */
  conflict: 4,
  /** The token is missing at the server, over, or does not allow this. */
  notAllowed: 5,
  /** The server was not reached. */
  unreachable: 6,
  /** Some of several items failed. */
  partial: 7,
  /** The job that was waited for is dead or cancelled. */
  jobFailed: 8,
  /** `EX_CONFIG` of sysexits.h: starting again without a change cannot help. */
  configuration: 78,
  /** As shells say it for SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
