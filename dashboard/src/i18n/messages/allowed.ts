import { messages } from "../message.js";

/** Why something cannot be done. */
export const allowed = messages({
  en: {
    "allowed.needs": "Your token does not allow this. It needs one of the scopes: {scopes}.",
  },
  ru: {
    "allowed.needs": "Ваш токен этого не позволяет. Нужно одно из прав: {scopes}.",
  },
});
