import { messages } from "../message.js";

/** Questions before something that cannot be taken back. */
export const confirm = messages({
  en: {
    "confirm.no": "No, go back",
    "confirm.type": "To confirm, type {text}",
  },
  ru: {
    "confirm.no": "Нет, вернуться",
    "confirm.type": "Чтобы подтвердить, введите {text}",
  },
});
