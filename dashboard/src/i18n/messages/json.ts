import { messages } from "../message.js";

/** The card that shows a stored JSON text. */
export const json = messages({
  en: {
    "json.raw": "As stored",
    "json.copy": "Copy as stored",
    "json.download": "Download",
    "json.cut": "The first {shown} of {all}. The download has all of it, byte for byte.",
  },
  ru: {
    "json.raw": "Как хранится",
    "json.copy": "Копировать как есть",
    "json.download": "Скачать",
    "json.cut": "Первые {shown} из {all}. При скачивании файл придёт целиком, байт в байт.",
  },
});
