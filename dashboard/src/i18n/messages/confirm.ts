import { messages } from "../message.js";

/** Questions before something that cannot be taken back. */
export const confirm = messages({
  en: {
    "confirm.no": "Go back",
    "confirm.discard": "Discard what you wrote?",
    "confirm.discard.yes": "Discard",
    "confirm.discard.no": "Go on writing",
    "confirm.changed": "It has changed since you asked. Its state is now: {state}.",
    "confirm.unsure": "It may have been done: the answer was lost. Look before you repeat it.",
    "confirm.allTheSame": "I have looked. Do it all the same.",
    "confirm.type": "To confirm, type {text}",
  },
  ru: {
    "confirm.no": "Вернуться",
    "confirm.discard": "Отбросить написанное?",
    "confirm.discard.yes": "Отбросить",
    "confirm.discard.no": "Писать дальше",
    "confirm.changed": "С тех пор как вы спросили, задача изменилась. Её состояние: {state}.",
    "confirm.unsure": "Возможно, это уже сделано: ответ потерян. Проверьте, прежде чем повторять.",
    "confirm.allTheSame": "Проверено. Всё равно выполнить.",
    "confirm.type": "Чтобы подтвердить, введите {text}",
  },
});
