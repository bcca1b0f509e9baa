import type { MonthDays, Months, Rhythm, Times, WeekDays } from "./rhythm.js";
import { clockOf, type CronVoice, type IntervalUnit } from "./voice.js";

const DAYS = ["", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS = [
  "",
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const WEEKS = ["", "first", "second", "third", "fourth", "fifth"];

export const english: CronVoice = { sentence, interval };

function interval(n: number, unit: IntervalUnit): string {
  return n === 1 ? `Every ${unit}` : `Every ${n} ${unit}s`;
}

function sentence({ times, monthDays, weekDays, months }: Rhythm): string {
  const dated = weekDays === null ? dateWords(monthDays, months) : null;
  const days = [
    ...(monthDays === null ? [] : [dated ?? monthDayWords(monthDays)]),
    ...(weekDays === null ? [] : [weekDayWords(weekDays)]),
  ];
  const everyDay = days.length === 0 && times.kind === "at" ? " every day" : "";
  const either = days.join(" or");
  const inMonths = months === null || dated !== null ? "" : monthWords(months);
  return `${timeWords(times)}${everyDay}${either}${inMonths}`;
}

/** `on the 1st and 15th of January`; `null` where the month is told apart. */
function dateWords(days: MonthDays | null, months: Months | null): string | null {
  const month = months?.kind === "months" && months.months.length === 1 ? months.months[0] : undefined;
  if (days?.kind !== "days" || month === undefined) return null;
  return ` on the ${list(days.days.map(ordinal))} of ${MONTHS[month] ?? ""}`;
}

function timeWords(times: Times): string {
  switch (times.kind) {
    case "at":
      return `At ${list(times.times.map(clockOf))}`;
    case "seconds":
      return interval(times.every, "second");
    case "minutes":
      return `${interval(times.every, "minute")}${within(times.within)}`;
    case "hours": {
      const { minutes } = times;
      const at = minutes.length === 1 ? ` at minute ${minutes[0] ?? 0}` : ` at minutes ${list(minutes)}`;
      const said = (minutes.length === 1 && minutes[0] === 0) || times.within !== null ? "" : at;
      const many = minutes.length > 1 && times.within !== null ? at : "";
      return `${interval(times.every, "hour")}${said}${many}${within(times.within)}`;
    }
  }
}

function within(window: Extract<Times, { kind: "minutes" }>["within"]): string {
  return window === null ? "" : ` from ${clockOf(window.from)} to ${clockOf(window.to)}`;
}

function monthDayWords(days: MonthDays): string {
  switch (days.kind) {
    case "days":
      return ` on the ${list(days.days.map(ordinal))}`;
    case "range":
      return ` from the ${ordinal(days.from)} to the ${ordinal(days.to)}`;
    case "last":
      return " on the last day of the month";
    case "beforeLast":
      return `, ${days.days === 1 ? "one day" : `${days.days} days`} before the last of the month`;
    case "lastWorkingDay":
      return " on the last working day of the month";
    case "nearest":
      return ` on the working day nearest to the ${ordinal(days.day)}`;
  }
}

function weekDayWords(days: WeekDays): string {
  switch (days.kind) {
    case "days":
      return ` on ${list(days.days.map((day) => DAYS[day] ?? ""))}`;
    case "range":
      return `, ${DAYS[days.from] ?? ""} to ${DAYS[days.to] ?? ""}`;
    case "nth":
      return ` on the ${WEEKS[days.week] ?? ""} ${DAYS[days.day] ?? ""} of the month`;
    case "last":
      return ` on the last ${DAYS[days.day] ?? ""} of the month`;
  }
}

function monthWords(months: Months): string {
  if (months.kind === "months") return ` in ${list(months.months.map((month) => MONTHS[month] ?? ""))}`;
  return ` from ${MONTHS[months.from] ?? ""} to ${MONTHS[months.to] ?? ""}`;
}

function ordinal(day: number): string {
  const teen = day > 10 && day < 14;
  return `${day}${(teen ? undefined : ["th", "st", "nd", "rd"][day % 10]) ?? "th"}`;
}

function list(items: readonly (string | number)[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1) ?? ""}`;
}
