import { messages } from "../message.js";

/** Why a button cannot be used. */
export const refusal = messages({
  en: {
    "refusal.operate": "This needs a token with the scope operator or admin.",
    "refusal.administer": "This needs a token with the scope admin.",
  },
  ru: {
    "refusal.operate": "Нужен токен с областью operator или admin.",
    "refusal.administer": "Нужен токен с областью admin.",
  },
});
