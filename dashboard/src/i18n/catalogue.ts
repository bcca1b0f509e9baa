import { bulk } from "./messages/bulk.js";
import { errors } from "./messages/errors.js";
import { firstRun } from "./messages/first-run.js";
import { jobs } from "./messages/jobs.js";
import { newJob } from "./messages/new-job.js";
import { shell } from "./messages/shell.js";
import { states } from "./messages/states.js";
import { units } from "./messages/units.js";
import type { ValuesOf } from "./message.js";

/** Every text of the dashboard. A page's messages are in a file of their own. */
export const catalogue = {
  en: {
    ...bulk.en,
    ...errors.en,
    ...firstRun.en,
    ...jobs.en,
    ...newJob.en,
    ...shell.en,
    ...states.en,
    ...units.en,
  },
  ru: {
    ...bulk.ru,
    ...errors.ru,
    ...firstRun.ru,
    ...jobs.ru,
    ...newJob.ru,
    ...shell.ru,
    ...states.ru,
    ...units.ru,
  },
};

type English = typeof catalogue.en;
export type MessageKey = keyof English;
export type Values<Key extends MessageKey> = ValuesOf<English[Key]>;
