import { messages } from "../message.js";

/** Why something cannot be done. */
export const allowed = messages({
  en: {
    "allowed.needs": "Your token does not allow this. It needs one of the scopes: {scopes}.",
    "allowed.notHere": "This token is for programs",
    "allowed.notHere.why":
      "The token {name} may not read what the dashboard shows. Sign out, and sign in with one that has one of the scopes: {scopes}. What this one may do:",
    "allowed.may.enqueue": "make jobs: the button is at the top",
    "allowed.may.follow": "ask for one job by its id, over the API",
    "allowed.may.work": "claim jobs and say how they ended, as workers do",
    "allowed.may.metrics": "read the figures at /metrics, as Prometheus does",
  },
  ru: {
    "allowed.needs": "Ваш токен этого не позволяет. Нужно одно из прав: {scopes}.",
    "allowed.notHere": "Этот токен — для программ",
    "allowed.notHere.why":
      "Токену {name} нельзя читать то, что показывает панель. Выйдите и войдите с токеном, у которого есть одно из прав: {scopes}. Что можно этому токену:",
    "allowed.may.enqueue": "ставить задачи: кнопка вверху",
    "allowed.may.follow": "спрашивать через API об одной задаче по её номеру",
    "allowed.may.work": "брать задачи и сообщать, чем они кончились, как это делают обработчики",
    "allowed.may.metrics": "читать показатели по адресу /metrics, как это делает Prometheus",
  },
});
