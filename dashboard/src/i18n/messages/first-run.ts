import { messages } from "../message.js";

/** What to do with a server that has no jobs yet. */
export const firstRun = messages({
  en: {
    "firstRun.title": "First steps",
    "firstRun.step.runs": "The server runs",
    "firstRun.step.arrived": "A first job arrived",
    "firstRun.step.taken": "A worker took it",
    "firstRun.step.finished": "It finished",
    "firstRun.waiting": "Waiting for the first job. This page follows along.",
    "firstRun.arrived": "{link} {state} waits for a worker.",
    "firstRun.taken": "A worker has taken {link} {state}",
    "firstRun.finished": "That was all: {link} {state}",
    "firstRun.enqueue": "Enqueue a job",
    "firstRun.token": "API_TOKEN is the access token that you signed in with.",
    "firstRun.work": "Start a worker",
    "firstRun.workLead":
      "Any program that speaks HTTP can be one: it claims jobs, works on them, and says how that ended. Here are two.",
    "firstRun.typescript": "Save it as {file} where konveier is installed, and run {command}.",
    "firstRun.python": "Save it as worker.py beside {file}, and run {command}. No packages are needed.",
    "firstRun.copy": "Copy: {title}",
    "firstRun.done": "done",
    "firstRun.close": "Hide the first steps",
  },
  ru: {
    "firstRun.title": "Первые шаги",
    "firstRun.step.runs": "Сервер работает",
    "firstRun.step.arrived": "Пришла первая задача",
    "firstRun.step.taken": "Её взял обработчик",
    "firstRun.step.finished": "Она завершена",
    "firstRun.waiting": "Ждём первую задачу. Страница обновится сама.",
    "firstRun.arrived": "{link} {state} ждёт обработчика.",
    "firstRun.taken": "Обработчик взял {link} {state}",
    "firstRun.finished": "Вот и всё: {link} {state}",
    "firstRun.enqueue": "Поставьте задачу в очередь",
    "firstRun.token": "API_TOKEN — токен доступа, с которым вы вошли.",
    "firstRun.work": "Запустите обработчик",
    "firstRun.workLead":
      "Им может быть любая программа, которая говорит по HTTP: она берёт задачи, выполняет их и сообщает, чем кончилось. Вот две.",
    "firstRun.typescript": "Сохраните как {file} там, где установлен konveier, и запустите {command}.",
    "firstRun.python": "Сохраните как worker.py рядом с {file} и запустите {command}. Пакеты не нужны.",
    "firstRun.copy": "Скопировать: {title}",
    "firstRun.done": "сделано",
    "firstRun.close": "Скрыть первые шаги",
  },
});
