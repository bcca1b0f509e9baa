import { messages } from "../message.js";

/** Why a job is not running, or what it died of. */
export const why = messages({
  en: {
    "why.title": "Why it is not running",
    "why.pending": "Ready and waiting for a worker with a free slot.",
    "why.blocked": "Waiting for other jobs of its flow.",
    "why.blocked.count": {
      one: "Waiting for {count} job of its flow",
      other: "Waiting for {count} jobs of its flow",
    },
    "why.blocked.jobs": {
      one: "Waiting for {count} job of its flow: {jobs}",
      other: "Waiting for {count} jobs of its flow: {jobs}",
    },
    "why.blocked.over": "What it waited for has ended: it goes on in a moment.",
    "why.blocked.stuck": "It goes on only when what did not complete is retried.",
    "why.first_run": "Waiting for its time: the first run is due {when}.",
    "why.retry": "Waiting after attempt {attempt} of {max}: the next one is due {when}.",
    "why.snooze": "Its handler snoozed it: it continues {when}.",
    "why.due": "Was due {when}; it will be ready in a moment.",
    "why.queue_paused": "The queue {queue} was paused {since}.",
    "why.pauseReason": "Reason: {reason}",
    "why.no_worker": "No live worker serves jobs named {name} of the queue {queue}.",
    "why.workers_busy": {
      one: "Its only worker is busy: {running} of {slots} slots taken.",
      other: "All {count} workers that serve it are busy: {running} of {slots} slots taken.",
    },
    "why.next": {
      one: "It is the next one: {count} worker serves it, {running} of {slots} slots taken.",
      other: "It is the next one: {count} workers serve it, {running} of {slots} slots taken.",
    },
    "why.ahead": {
      one: "{count} job goes first; {running} of {slots} slots taken.",
      other: "{count} jobs go first; {running} of {slots} slots taken.",
    },
    "why.aheadMore": "More than {ahead} jobs go first; {running} of {slots} slots taken.",
    "why.dead.all": {
      one: "Died {when}: its only attempt failed.",
      other: "Died {when}: all {count} attempts failed.",
    },
    "why.dead.final": {
      one: "Died {when}: it failed for good on attempt {count} of {max}.",
      other: "Died {when}: it failed for good on attempt {count} of {max}.",
    },
    "why.limited.hold": "No job of the queue {queue} is started until {until}: a handler asked for that.",
    "why.limited.key_hold":
      "No job with the key {key} of the queue {queue} is started until {until}: a handler asked for that.",
    "why.limited.concurrency": "As many jobs of the queue {queue} are running as may: {max}.",
    "why.limited.key_concurrency":
      "As many jobs with the key {key} of the queue {queue} are running as may: {max}.",
    "why.limited.rate":
      "As many jobs of the queue {queue} were started as may: {max} in {per}. The next start is due {next}.",
    "why.limited.key_rate":
      "As many jobs with the key {key} of the queue {queue} were started as may: {max} in {per}. The next start is due {next}.",
    "why.expires": "It is cancelled unless it starts by {when}.",
    "why.cancelled.expired": "Cancelled {when}: it had not started in time.",
    "why.cancelled.queue_full": "Cancelled {when}: its queue was full, and a new job took its place.",
    "why.cancelled.dependency": "Cancelled {when}: a job that it depends on did not complete.",
    "why.cancelled.by_hand": "Cancelled {when} by hand.",
    "why.sameError": "Dead jobs with the same error",
    "why.leaseOver": "The lease ended {when}: the worker stalled or is gone, and the job is taken back soon.",
  },
  ru: {
    "why.title": "Почему задача не выполняется",
    "why.pending": "Ожидает, когда освободится обработчик.",
    "why.blocked": "Ждёт другие задачи своей цепочки.",
    "why.blocked.count": {
      one: "Ждёт {count} задачу своей цепочки",
      few: "Ждёт {count} задачи своей цепочки",
      many: "Ждёт {count} задач своей цепочки",
      other: "Ждёт {count} задачи своей цепочки",
    },
    "why.blocked.jobs": {
      one: "Ждёт {count} задачу своей цепочки: {jobs}",
      few: "Ждёт {count} задачи своей цепочки: {jobs}",
      many: "Ждёт {count} задач своей цепочки: {jobs}",
      other: "Ждёт {count} задачи своей цепочки: {jobs}",
    },
    "why.blocked.over": "Ждать больше нечего: вот-вот перейдёт в ожидание.",
    "why.blocked.stuck": "Продолжится, только когда повторят то, что не выполнилось.",
    "why.first_run": "Ждёт своего времени: первый запуск {when}.",
    "why.retry": "Ждёт после попытки {attempt} из {max}: следующая {when}.",
    "why.snooze": "Обработчик отложил запуск: продолжение {when}.",
    "why.due": "Срок наступил {when}, вот-вот перейдёт в ожидание.",
    "why.queue_paused": "Очередь {queue} приостановлена {since}.",
    "why.pauseReason": "Причина: {reason}",
    "why.no_worker": "Нет ни одного работающего обработчика для задач {name} очереди {queue}.",
    "why.workers_busy": {
      one: "Обработчики заняты ({count}): занято мест {running} из {slots}.",
      few: "Все {count} обработчика заняты: занято мест {running} из {slots}.",
      many: "Все {count} обработчиков заняты: занято мест {running} из {slots}.",
      other: "Все {count} обработчика заняты: занято мест {running} из {slots}.",
    },
    "why.next": {
      one: "Она следующая: её обслуживает {count} обработчик, занято мест {running} из {slots}.",
      few: "Она следующая: её обслуживают {count} обработчика, занято мест {running} из {slots}.",
      many: "Она следующая: её обслуживают {count} обработчиков, занято мест {running} из {slots}.",
      other: "Она следующая: её обслуживают {count} обработчика, занято мест {running} из {slots}.",
    },
    "why.ahead": {
      one: "Перед ней {count} задача; занято мест {running} из {slots}.",
      few: "Перед ней {count} задачи; занято мест {running} из {slots}.",
      many: "Перед ней {count} задач; занято мест {running} из {slots}.",
      other: "Перед ней {count} задачи; занято мест {running} из {slots}.",
    },
    "why.aheadMore": "Перед ней больше {ahead} задач; занято мест {running} из {slots}.",
    "why.dead.all": {
      one: "Провалена, попыток больше нет ({when}): израсходована {count} попытка.",
      few: "Провалена, попыток больше нет ({when}): все {count} попытки неудачны.",
      many: "Провалена, попыток больше нет ({when}): все {count} попыток неудачны.",
      other: "Провалена, попыток больше нет ({when}): все {count} попытки неудачны.",
    },
    "why.dead.final": {
      one: "Провалена ({when}): неустранимая ошибка на попытке {count} из {max}.",
      few: "Провалена ({when}): неустранимая ошибка на попытке {count} из {max}.",
      many: "Провалена ({when}): неустранимая ошибка на попытке {count} из {max}.",
      other: "Провалена ({when}): неустранимая ошибка на попытке {count} из {max}.",
    },
    "why.limited.hold": "До {until} задачи очереди {queue} не запускаются: об этом попросил обработчик.",
    "why.limited.key_hold":
      "До {until} задачи с ключом {key} очереди {queue} не запускаются: об этом попросил обработчик.",
    "why.limited.concurrency": "Задач очереди {queue} выполняется столько, сколько разрешено: {max}.",
    "why.limited.key_concurrency":
      "Задач с ключом {key} очереди {queue} выполняется столько, сколько разрешено: {max}.",
    "why.limited.rate":
      "Задач очереди {queue} запущено столько, сколько разрешено: {max} за {per}. Следующий запуск {next}.",
    "why.limited.key_rate":
      "Задач с ключом {key} очереди {queue} запущено столько, сколько разрешено: {max} за {per}. Следующий запуск {next}.",
    "why.expires": "Если не начнётся до {when}, будет отменена.",
    "why.cancelled.expired": "Отменена {when}: не началась в срок.",
    "why.cancelled.queue_full": "Отменена {when}: очередь была заполнена, и её место заняла новая задача.",
    "why.cancelled.dependency": "Отменена {when}: не выполнилась задача, от которой она зависит.",
    "why.cancelled.by_hand": "Отменена вручную {when}.",
    "why.sameError": "Задачи с той же ошибкой",
    "why.leaseOver": "Аренда истекла {when}: обработчик завис или пропал, задачу скоро вернут в очередь.",
  },
});
