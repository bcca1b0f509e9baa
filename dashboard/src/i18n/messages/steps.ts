import { messages } from "../message.js";

/** The steps of a job. */
export const steps = messages({
  en: {
    "steps.title": "Steps",
    "steps.count": {
      one: "{count} is done",
      other: "{count} are done",
    },
    "steps.nothing": "nothing was returned",
  },
  ru: {
    "steps.title": "Шаги",
    "steps.count": {
      one: "{count} выполнен",
      few: "{count} выполнены",
      many: "{count} выполнено",
      other: "{count} выполнено",
    },
    "steps.nothing": "без результата",
  },
});
