import { messages } from "../message.js";

/** What went wrong, by the codes of docs/errors.md. A code without a message here is shown with the server's words. */
export const errors = messages({
  en: {
    "error.title": "This could not be loaded",
    "error.unreachable": "The server cannot be reached.",
    "error.foreign_answer":
      "Something else answers in place of the server, such as the sign-in page of a proxy. Load the page anew.",
    "error.no_problem_document":
      "Something between this page and the server refused this, such as a proxy while the server restarts.",
    "error.timeout": "The server did not answer in time.",
    "error.unauthorized": "This needs a valid token.",
    "error.forbidden": "The token does not allow this.",
    "error.too_many_failures": "Too many wrong tokens. Wait a minute.",
    "error.draining": "The server is about to stop.",
    "error.job_not_found":
      "There is no such job. It was deleted, its retention time is over, or it never existed.",
    "error.flow_not_found": "There is no such flow. It goes when the last of its jobs goes.",
    "error.bad_cursor": "This link leads to a place in a list that is not kept any more.",
    "error.firstPage": "To the beginning of the list",
    "error.retry": "Try again",
    "error.request": "Request {id}",
    "error.page": "The dashboard cannot be shown",
    "error.page.why": "Perhaps something else answers in place of the server. Load the page anew.",
    "error.panel": "This part of the page is broken. The rest works.",
  },
  ru: {
    "error.title": "Не удалось загрузить",
    "error.unreachable": "Сервер недоступен.",
    "error.foreign_answer":
      "Вместо сервера отвечает что-то другое, например страница входа прокси. Загрузите страницу заново.",
    "error.no_problem_document":
      "Отказало что-то между этой страницей и сервером, например прокси, пока сервер перезапускается.",
    "error.timeout": "Сервер не ответил вовремя.",
    "error.unauthorized": "Нужен действующий токен.",
    "error.forbidden": "Токен этого не позволяет.",
    "error.too_many_failures": "Слишком много неверных токенов. Подождите минуту.",
    "error.draining": "Сервер останавливается.",
    "error.job_not_found": "Такой задачи нет: она удалена, срок её хранения вышел или её никогда не было.",
    "error.flow_not_found": "Такой цепочки нет. Цепочка исчезает вместе с последней своей задачей.",
    "error.bad_cursor": "Эта ссылка ведёт на место в списке, которого больше нет.",
    "error.firstPage": "К началу списка",
    "error.retry": "Повторить запрос",
    "error.request": "Запрос {id}",
    "error.page": "Панель не может быть показана",
    "error.page.why": "Возможно, вместо сервера отвечает что-то другое. Загрузите страницу заново.",
    "error.panel": "Эта часть страницы сломалась. Остальное работает.",
  },
});
