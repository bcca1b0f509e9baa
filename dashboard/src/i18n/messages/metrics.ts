import { messages } from "../message.js";

export const metrics = messages({
  en: {
    "metrics.allQueues": "All queues",
    "metrics.names": "Job names",
    "metrics.name": "Name",
    "metrics.attempts": "Attempts",
    "metrics.failed": "Failed",
    "metrics.dead": "Died",
    "metrics.wait": "Wait p95",
    "metrics.run": "Run p95",
    "metrics.run99": "Run p99",
    "metrics.share": "Share of run time",
    "metrics.noNames": "Nothing ran in this period.",
    "metrics.estimates":
      "Percentiles are estimates from histograms; a wait is counted until the first attempt begins.",
  },
  ru: {
    "metrics.allQueues": "Все очереди",
    "metrics.names": "Имена задач",
    "metrics.name": "Имя",
    "metrics.attempts": "Попытки",
    "metrics.failed": "Ошибки",
    "metrics.dead": "Провалено",
    "metrics.wait": "Ожидание p95",
    "metrics.run": "Выполнение p95",
    "metrics.run99": "Выполнение p99",
    "metrics.share": "Доля времени",
    "metrics.noNames": "За это время ничего не выполнялось.",
    "metrics.estimates": "Перцентили оценены по гистограммам; ожидание считается до начала первой попытки.",
  },
});
