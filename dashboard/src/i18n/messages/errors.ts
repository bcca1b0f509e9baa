import { messages } from "../message.js";

/** What went wrong, by the codes of docs/errors.md. A code without a message here is shown with the server's words. */
export const errors = messages({
  en: {
    "error.title": "This could not be loaded",
    "error.unreachable": "The server cannot be reached.",
    "error.timeout": "The server did not answer in time.",
    "error.unauthorized": "This needs a valid token.",
    "error.forbidden": "The token does not allow this.",
    "error.too_many_failures": "Too many wrong tokens. Wait a minute.",
    "error.draining": "The server is about to stop.",
    "error.job_not_found":
      "There is no such job. It was deleted, its retention time is over, or it never existed.",
    "error.retry": "Try again",
    "error.request": "Request {id}",
    "error.panel": "This part of the page is broken. The rest works.",
  },
  ru: {
    "error.title": "Не удалось загрузить",
    "error.unreachable": "Сервер недоступен.",
    "error.timeout": "Сервер не ответил вовремя.",
    "error.unauthorized": "Нужен действующий токен.",
    "error.forbidden": "Токен этого не позволяет.",
    "error.too_many_failures": "Слишком много неверных токенов. Подождите минуту.",
    "error.draining": "Сервер останавливается.",
    "error.job_not_found": "Такой задачи нет: она удалена, срок её хранения вышел или её никогда не было.",
    "error.retry": "Повторить запрос",
    "error.request": "Запрос {id}",
    "error.panel": "Эта часть страницы сломалась. Остальное работает.",
  },
});
