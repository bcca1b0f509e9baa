import type { MonthDays, Months, Rhythm, Times, WeekDays } from "./rhythm.js";
import { clockOf, type CronVoice, type IntervalUnit } from "./voice.js";

/** «с понедельника» */
const FROM_DAY = ["", "понедельника", "вторника", "среды", "четверга", "пятницы", "субботы", "воскресенья"];
/** «по пятницу», «в первую пятницу» */
const TO_DAY = ["", "понедельник", "вторник", "среду", "четверг", "пятницу", "субботу", "воскресенье"];
/** «по пятницам» */
const ON_DAYS = [
  "",
  "понедельникам",
  "вторникам",
  "средам",
  "четвергам",
  "пятницам",
  "субботам",
  "воскресеньям",
];
/** Masculine, feminine and neuter, as the days of the week are. */
const WEEKS = [
  [],
  ["первый", "первую", "первое"],
  ["второй", "вторую", "второе"],
  ["третий", "третью", "третье"],
  ["четвёртый", "четвёртую", "четвёртое"],
  ["пятый", "пятую", "пятое"],
];
const LAST = ["последний", "последнюю", "последнее"];
const GENDER = [0, 0, 0, 1, 0, 1, 1, 2];
/** «в январе» */
const IN_MONTH = [
  "",
  "январе",
  "феврале",
  "марте",
  "апреле",
  "мае",
  "июне",
  "июле",
  "августе",
  "сентябре",
  "октябре",
  "ноябре",
  "декабре",
];
/** «с января», «1 января» */
const OF_MONTH = [
  "",
  "января",
  "февраля",
  "марта",
  "апреля",
  "мая",
  "июня",
  "июля",
  "августа",
  "сентября",
  "октября",
  "ноября",
  "декабря",
];
/** «по март» */
const TO_MONTH = [
  "",
  "январь",
  "февраль",
  "март",
  "апрель",
  "май",
  "июнь",
  "июль",
  "август",
  "сентябрь",
  "октябрь",
  "ноябрь",
  "декабрь",
];

/** «каждую минуту», «каждые 2 минуты», «каждые 5 минут», «каждую 21 минуту» */
const UNITS = {
  second: { each: "Каждую", one: "секунду", few: "секунды", many: "секунд" },
  minute: { each: "Каждую", one: "минуту", few: "минуты", many: "минут" },
  hour: { each: "Каждый", one: "час", few: "часа", many: "часов" },
  day: { each: "Каждый", one: "день", few: "дня", many: "дней" },
} as const satisfies Record<IntervalUnit, unknown>;

const plural = new Intl.PluralRules("ru");

export const russian: CronVoice = { sentence, interval };

function interval(n: number, unit: IntervalUnit): string {
  const words = UNITS[unit];
  if (n === 1) return `${words.each} ${words.one}`;
  const form = formOf(n);
  return `${form === "one" ? words.each : "Каждые"} ${String(n).replace(".", ",")} ${words[form]}`;
}

function formOf(n: number): "one" | "few" | "many" {
  const form = plural.select(n);
  // «1,5 секунды», as after two.
  if (form === "other") return "few";
  return form === "one" || form === "few" ? form : "many";
}

function sentence({ times, monthDays, weekDays, months }: Rhythm): string {
  const dated = weekDays === null ? dateWords(monthDays, months) : null;
  const days = [
    ...(monthDays === null ? [] : [dated ?? monthDayWords(monthDays)]),
    ...(weekDays === null ? [] : [weekDayWords(weekDays)]),
  ];
  const everyDay = days.length === 0 && times.kind === "at" ? " ежедневно" : "";
  const either = days.join(" или");
  const inMonths = months === null || dated !== null ? "" : monthWords(months);
  return `${timeWords(times)}${everyDay}${either}${inMonths}`;
}

function timeWords(times: Times): string {
  switch (times.kind) {
    case "at":
      return `В ${list(times.times.map(clockOf))}`;
    case "seconds":
      return interval(times.every, "second");
    case "minutes":
      return `${interval(times.every, "minute")}${within(times.within)}`;
    case "hours": {
      const { minutes } = times;
      const at = ` на ${list(minutes.map((minute) => `${minute}-й`))} минуте`;
      const isPlain = minutes.length === 1 && (minutes[0] === 0 || times.within !== null);
      return `${interval(times.every, "hour")}${isPlain ? "" : at}${within(times.within)}`;
    }
  }
}

function within(window: Extract<Times, { kind: "minutes" }>["within"]): string {
  return window === null ? "" : ` с ${clockOf(window.from)} до ${clockOf(window.to)}`;
}

/** «1 и 15 января»; `null` where the month is told apart. */
function dateWords(days: MonthDays | null, months: Months | null): string | null {
  const month = months?.kind === "months" && months.months.length === 1 ? months.months[0] : undefined;
  return days?.kind === "days" && month !== undefined ? ` ${list(days.days)} ${OF_MONTH[month] ?? ""}` : null;
}

function monthDayWords(days: MonthDays): string {
  switch (days.kind) {
    case "days":
      return ` ${list(days.days.map((day) => `${day}-го`))} числа`;
    case "range":
      return ` с ${days.from}-го по ${days.to}-е число`;
    case "last":
      return " в последний день месяца";
    case "beforeLast":
      return ` за ${days.days} ${UNITS.day[formOf(days.days)]} до последнего дня месяца`;
    case "lastWorkingDay":
      return " в последний рабочий день месяца";
    case "nearest":
      return ` в рабочий день, ближайший к ${days.day}-му числу`;
  }
}

function weekDayWords(days: WeekDays): string {
  switch (days.kind) {
    case "days":
      return ` по ${list(days.days.map((day) => ON_DAYS[day] ?? ""))}`;
    case "range":
      return ` с ${FROM_DAY[days.from] ?? ""} по ${TO_DAY[days.to] ?? ""}`;
    case "nth":
      return ` ${inDay(WEEKS[days.week] ?? [], days.day)} месяца`;
    case "last":
      return ` ${inDay(LAST, days.day)} месяца`;
  }
}

/** «во вторую пятницу» */
function inDay(forms: readonly string[], day: number): string {
  const form = forms[GENDER[day] ?? 0] ?? "";
  return `${form.startsWith("вт") ? "во" : "в"} ${form} ${TO_DAY[day] ?? ""}`;
}

function monthWords(months: Months): string {
  if (months.kind === "months") return ` в ${list(months.months.map((month) => IN_MONTH[month] ?? ""))}`;
  return ` с ${OF_MONTH[months.from] ?? ""} по ${TO_MONTH[months.to] ?? ""}`;
}

function list(items: readonly (string | number)[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} и ${items.at(-1) ?? ""}`;
}
