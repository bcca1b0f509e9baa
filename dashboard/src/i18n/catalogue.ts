import { charts } from "./messages/charts.js";
import { errors } from "./messages/errors.js";
import { metrics } from "./messages/metrics.js";
import { overview } from "./messages/overview.js";
import { queues } from "./messages/queues.js";
import { shell } from "./messages/shell.js";
import { states } from "./messages/states.js";
import { units } from "./messages/units.js";
import type { ValuesOf } from "./message.js";

/** Every text of the dashboard. A page's messages are in a file of their own. */
export const catalogue = {
  en: {
    ...charts.en,
    ...errors.en,
    ...metrics.en,
    ...overview.en,
    ...queues.en,
    ...shell.en,
    ...states.en,
    ...units.en,
  },
  ru: {
    ...charts.ru,
    ...errors.ru,
    ...metrics.ru,
    ...overview.ru,
    ...queues.ru,
    ...shell.ru,
    ...states.ru,
    ...units.ru,
  },
};

type English = typeof catalogue.en;
export type MessageKey = keyof English;
export type Values<Key extends MessageKey> = ValuesOf<English[Key]>;
