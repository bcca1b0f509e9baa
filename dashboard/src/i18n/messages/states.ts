import { messages } from "../message.js";

/** States of jobs, and how attempts end. */
export const states = messages({
  en: {
    "state.blocked": "Blocked",
    "state.scheduled": "Scheduled",
    "state.pending": "Pending",
    "state.running": "Running",
    "state.completed": "Completed",
    "state.dead": "Dead",
    "state.cancelled": "Cancelled",
    "state.paused": "Paused",
    "outcome.running": "Running",
    "outcome.completed": "Succeeded",
    "outcome.failed": "Failed",
    "outcome.timed_out": "Timed out",
    "outcome.lost": "Lost",
    "outcome.cancelled": "Cancelled",
  },
  ru: {
    "state.blocked": "Заблокирована",
    "state.scheduled": "Запланирована",
    "state.pending": "Ожидает",
    "state.running": "Выполняется",
    "state.completed": "Выполнена",
    "state.dead": "Провалена",
    "state.cancelled": "Отменена",
    "state.paused": "На паузе",
    "outcome.running": "Выполняется",
    "outcome.completed": "Успех",
    "outcome.failed": "Ошибка",
    "outcome.timed_out": "Вышло время",
    "outcome.lost": "Потеряна",
    "outcome.cancelled": "Отменена",
  },
});
