import { messages } from "../message.js";

/** What to do with a server that has no jobs yet. */
export const firstRun = messages({
  en: {
    "firstRun.title": "No jobs yet",
    "firstRun.titleLater": "First steps",
    "firstRun.lead": "Enqueue one and start a worker for it. This page follows along.",
    "firstRun.enqueue": "1. Enqueue a job",
    "firstRun.token": "API_TOKEN is the access token that you signed in with.",
    "firstRun.waiting": "Waiting for the first job …",
    "firstRun.arrived": "The first job is here: {link} {state}",
    "firstRun.work": "2. Start a worker",
    "firstRun.workLead":
      "A worker is any program that speaks HTTP: it claims jobs, works on them, and says how that ended.",
    "firstRun.python": "The Python worker is one file without dependencies: copy {file} beside your program.",
    "firstRun.copy": "Copy: {title}",
    "firstRun.done": "done",
    "firstRun.close": "Hide this",
  },
  ru: {
    "firstRun.title": "Задач пока нет",
    "firstRun.titleLater": "Первые шаги",
    "firstRun.lead":
      "Поставьте задачу в очередь и запустите для неё обработчик. Страница покажет, что происходит.",
    "firstRun.enqueue": "1. Поставьте задачу в очередь",
    "firstRun.token": "API_TOKEN — токен доступа, с которым вы вошли.",
    "firstRun.waiting": "Ждём первую задачу …",
    "firstRun.arrived": "Первая задача здесь: {link} {state}",
    "firstRun.work": "2. Запустите обработчик",
    "firstRun.workLead":
      "Обработчик — любая программа, которая говорит по HTTP: берёт задачи, выполняет их и сообщает, чем кончилось.",
    "firstRun.python":
      "Обработчик на Python — один файл без зависимостей: скопируйте {file} рядом с программой.",
    "firstRun.copy": "Скопировать: {title}",
    "firstRun.done": "сделано",
    "firstRun.close": "Скрыть",
  },
});
