import { dead } from "./messages/dead.js";
import { errors } from "./messages/errors.js";
import { confirm } from "./messages/confirm.js";
import { job } from "./messages/job.js";
import { json } from "./messages/json.js";
import { refusal } from "./messages/refusal.js";
import { shell } from "./messages/shell.js";
import { states } from "./messages/states.js";
import { units } from "./messages/units.js";
import type { ValuesOf } from "./message.js";

/** Every text of the dashboard. A page's messages are in a file of their own. */
export const catalogue = {
  en: {
    ...confirm.en,
    ...dead.en,
    ...errors.en,
    ...job.en,
    ...json.en,
    ...refusal.en,
    ...shell.en,
    ...states.en,
    ...units.en,
  },
  ru: {
    ...confirm.ru,
    ...dead.ru,
    ...errors.ru,
    ...job.ru,
    ...json.ru,
    ...refusal.ru,
    ...shell.ru,
    ...states.ru,
    ...units.ru,
  },
};

type English = typeof catalogue.en;
export type MessageKey = keyof English;
export type Values<Key extends MessageKey> = ValuesOf<English[Key]>;
