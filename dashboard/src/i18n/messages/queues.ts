import { messages } from "../message.js";

/** Queues: the list, and one of them. */
export const queues = messages({
  en: {
    "queues.name": "Queue",
    "queues.oldest": "Oldest",
  },
  ru: {
    "queues.name": "Очередь",
    "queues.oldest": "Старшая",
  },
});
