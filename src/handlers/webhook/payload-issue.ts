/** One fault of a payload, in the form of a Standard Schema issue. */
export interface PayloadIssue {
  /** The field; empty for the payload as a whole. */
  readonly path: readonly string[];
  readonly message: string;
}
