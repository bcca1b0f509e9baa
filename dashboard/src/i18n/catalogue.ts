import { allowed } from "./messages/allowed.js";
import { errors } from "./messages/errors.js";
import { schedules } from "./messages/schedules.js";
import { shell } from "./messages/shell.js";
import { states } from "./messages/states.js";
import { units } from "./messages/units.js";
import type { ValuesOf } from "./message.js";

/** Every text of the dashboard. A page's messages are in a file of their own. */
export const catalogue = {
  en: { ...allowed.en, ...errors.en, ...schedules.en, ...shell.en, ...states.en, ...units.en },
  ru: { ...allowed.ru, ...errors.ru, ...schedules.ru, ...shell.ru, ...states.ru, ...units.ru },
};

type English = typeof catalogue.en;
export type MessageKey = keyof English;
export type Values<Key extends MessageKey> = ValuesOf<English[Key]>;
