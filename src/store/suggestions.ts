/** Names for who begins to type one. Each answer is found in an index or in the kept counts, never among the jobs. */
export interface SuggestionStore {
  /** Queues that have a job, had one or are paused. By name, at most `limit`. */
  queues(prefix: string, queueGlobs: readonly string[] | null, limit: number): Promise<readonly string[]>;
  /** Names of jobs of these queues, present and past ones. By name, at most `limit`. */
  names(prefix: string, queueGlobs: readonly string[] | null, limit: number): Promise<readonly string[]>;
  /** Tags of jobs that are there, of whatever queue. By name, at most `limit`. */
  tags(prefix: string, limit: number): Promise<readonly string[]>;
  /** Keys of schedules whose jobs go into these queues. By key, at most `limit`. */
  schedules(prefix: string, queueGlobs: readonly string[] | null, limit: number): Promise<readonly string[]>;
}
