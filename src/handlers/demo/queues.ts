/** Queues of the demo jobs. A worker asks them in this order. */
export const DEMO_QUEUES = ["emails", "images", "webhooks", "reports", "newsletter"] as const;
