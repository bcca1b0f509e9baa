import { messages } from "../message.js";

/** Times and sizes, short enough for a table. */
export const units = messages({
  en: {
    "unit.ms": "{n} ms",
    "unit.s": "{n} s",
    "unit.min": "{n} min",
    "unit.h": "{n} h",
    "unit.d": "{n} d",
    "unit.bytes": "{n} B",
    "unit.kib": "{n} KiB",
    "unit.mib": "{n} MiB",
    "unit.gib": "{n} GiB",
    "time.now": "just now",
    "time.ago": "{duration} ago",
    "time.in": "in {duration}",
    "time.soon": "any moment",
  },
  ru: {
    "unit.ms": "{n} мс",
    "unit.s": "{n} с",
    "unit.min": "{n} мин",
    "unit.h": "{n} ч",
    "unit.d": "{n} дн",
    "unit.bytes": "{n} Б",
    "unit.kib": "{n} КиБ",
    "unit.mib": "{n} МиБ",
    "unit.gib": "{n} ГиБ",
    "time.now": "только что",
    "time.ago": "{duration} назад",
    "time.in": "через {duration}",
    "time.soon": "вот-вот",
  },
});
