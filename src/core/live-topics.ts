/**
 * Kinds of things by which a change is told to whoever shows them:
 *
 * - `jobs`: a job came, went, changed its state, or tells something new about itself
 * - `schedules`: a schedule was edited, or a slot was fired, skipped or missed
 * - `workers`: a worker came, went or was heard of
 * - `operations`: a bulk operation began, went on or ended
 * - `tokens`: a token or a session was made, used or ended
 */
export const LIVE_TOPICS = ["jobs", "schedules", "workers", "operations", "tokens"] as const;
export type LiveTopic = (typeof LIVE_TOPICS)[number];
