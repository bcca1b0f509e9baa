import { describe, expect, it } from "vitest";
import { cronWords, intervalWords } from "./cron-words.js";

const SENTENCES: readonly (readonly [cron: string, en: string, ru: string])[] = [
  ["0 2 * * *", "At 02:00 every day", "В 02:00 ежедневно"],
  ["0 2 * * 1-5", "At 02:00, Monday to Friday", "В 02:00 с понедельника по пятницу"],
  ["0 2 * * mon-fri", "At 02:00, Monday to Friday", "В 02:00 с понедельника по пятницу"],
  ["0 2 ? * FRI-SUN", "At 02:00, Friday to Sunday", "В 02:00 с пятницы по воскресенье"],
  ["30 8 * * MON", "At 08:30 on Monday", "В 08:30 по понедельникам"],
  ["30 8 * * 0", "At 08:30 on Sunday", "В 08:30 по воскресеньям"],
  ["30 8 * * 7", "At 08:30 on Sunday", "В 08:30 по воскресеньям"],
  ["30 8 * * 0,6", "At 08:30 on Saturday and Sunday", "В 08:30 по субботам и воскресеньям"],
  ["0 9,12,18 * * *", "At 09:00, 12:00 and 18:00 every day", "В 09:00, 12:00 и 18:00 ежедневно"],
  ["15,45 9 * * *", "At 09:15 and 09:45 every day", "В 09:15 и 09:45 ежедневно"],
  ["30 0 2 * * *", "At 02:00:30 every day", "В 02:00:30 ежедневно"],
  ["* * * * *", "Every minute", "Каждую минуту"],
  ["*/2 * * * *", "Every 2 minutes", "Каждые 2 минуты"],
  ["0/15 * * * *", "Every 15 minutes", "Каждые 15 минут"],
  ["0,30 * * * *", "Every 30 minutes", "Каждые 30 минут"],
  ["* * * * * *", "Every second", "Каждую секунду"],
  ["*/10 * * * * *", "Every 10 seconds", "Каждые 10 секунд"],
  [
    "*/5 9-17 * * 1-5",
    "Every 5 minutes from 09:00 to 17:55, Monday to Friday",
    "Каждые 5 минут с 09:00 до 17:55 с понедельника по пятницу",
  ],
  ["*/5 9 * * *", "Every 5 minutes from 09:00 to 09:55", "Каждые 5 минут с 09:00 до 09:55"],
  ["0 * * * *", "Every hour", "Каждый час"],
  ["15 * * * *", "Every hour at minute 15", "Каждый час на 15-й минуте"],
  ["0,15,40 * * * *", "Every hour at minutes 0, 15 and 40", "Каждый час на 0-й, 15-й и 40-й минуте"],
  ["0 */2 * * *", "Every 2 hours", "Каждые 2 часа"],
  ["20 */6 * * *", "Every 6 hours at minute 20", "Каждые 6 часов на 20-й минуте"],
  ["0 9-17 * * *", "Every hour from 09:00 to 17:00", "Каждый час с 09:00 до 17:00"],
  ["15 9-17 * * *", "Every hour from 09:15 to 17:15", "Каждый час с 09:15 до 17:15"],
  [
    "0,30 9-17 * * 6",
    "Every 30 minutes from 09:00 to 17:30 on Saturday",
    "Каждые 30 минут с 09:00 до 17:30 по субботам",
  ],
  [
    "0,10 9-17 * * *",
    "Every hour at minutes 0 and 10 from 09:00 to 17:10",
    "Каждый час на 0-й и 10-й минуте с 09:00 до 17:10",
  ],
  ["0 8-18/4 * * *", "At 08:00, 12:00 and 16:00 every day", "В 08:00, 12:00 и 16:00 ежедневно"],
  ["0 10 1 * *", "At 10:00 on the 1st", "В 10:00 1-го числа"],
  [
    "0 10 1,2,3,12,22 * *",
    "At 10:00 on the 1st, 2nd, 3rd, 12th and 22nd",
    "В 10:00 1-го, 2-го, 3-го, 12-го и 22-го числа",
  ],
  ["0 10 1-7 * *", "At 10:00 from the 1st to the 7th", "В 10:00 с 1-го по 7-е число"],
  ["0 10 L * *", "At 10:00 on the last day of the month", "В 10:00 в последний день месяца"],
  [
    "0 10 L-3 * *",
    "At 10:00, 3 days before the last of the month",
    "В 10:00 за 3 дня до последнего дня месяца",
  ],
  [
    "0 10 L-1 * ?",
    "At 10:00, one day before the last of the month",
    "В 10:00 за 1 день до последнего дня месяца",
  ],
  ["0 10 LW * *", "At 10:00 on the last working day of the month", "В 10:00 в последний рабочий день месяца"],
  [
    "0 10 15W * *",
    "At 10:00 on the working day nearest to the 15th",
    "В 10:00 в рабочий день, ближайший к 15-му числу",
  ],
  ["0 10 * * FRI#2", "At 10:00 on the second Friday of the month", "В 10:00 во вторую пятницу месяца"],
  ["0 10 * * 2#1", "At 10:00 on the first Tuesday of the month", "В 10:00 в первый вторник месяца"],
  ["0 10 * * 0#3", "At 10:00 on the third Sunday of the month", "В 10:00 в третье воскресенье месяца"],
  ["0 10 * * 5L", "At 10:00 on the last Friday of the month", "В 10:00 в последнюю пятницу месяца"],
  [
    "0 0 13 1 FRI",
    "At 00:00 on the 13th or on Friday in January",
    "В 00:00 13-го числа или по пятницам в январе",
  ],
  ["0 0 13 * FRI", "At 00:00 on the 13th or on Friday", "В 00:00 13-го числа или по пятницам"],
  ["0 0 1 1 *", "At 00:00 on the 1st of January", "В 00:00 1 января"],
  [
    "0 0 1 */3 *",
    "At 00:00 on the 1st in January, April, July and October",
    "В 00:00 1-го числа в январе, апреле, июле и октябре",
  ],
  ["0 0 * JUN-AUG *", "At 00:00 every day from June to August", "В 00:00 ежедневно с июня по август"],
  ["*/10 * * MAR *", "Every 10 minutes in March", "Каждые 10 минут в марте"],
  ["@daily", "At 00:00 every day", "В 00:00 ежедневно"],
  ["@Weekly", "At 00:00 on Sunday", "В 00:00 по воскресеньям"],
  ["@hourly", "Every hour", "Каждый час"],
  ["@every 1h30m", "Every 90 minutes", "Каждые 90 минут"],
];

describe("the words of a cron expression", () => {
  it.each(SENTENCES)("%s", (cron, en, ru) => {
    expect(cronWords(cron, "en")).toBe(en);
    expect(cronWords(cron, "ru")).toBe(ru);
  });

  it.each([
    // Seven minutes apart, but not over the hour.
    "*/7 * * * *",
    // With a star and a step both fields must match, which is not "or".
    "0 0 */2 * FRI",
    "0 0 13 * */2",
    "0 0 13 * 0-6",
    "*/5 9,13 * * *",
    "*/10 5 * * * *",
    "1,2,3,5 1,2,4,8 * * *",
    "0 0 1,15W * *",
    "0 0 * 1,3,5,7,8,10,12 *",
    "0 0 * * FRI#2,MON",
    "0 10 * * 9",
    "61 * * * *",
    "0 9",
    "",
    "@reboot",
    "@every 0s",
    "0 9 * * * * *",
    "<script>alert(1)</script>",
  ])("says nothing about %j", (cron) => {
    expect(cronWords(cron, "en")).toBeNull();
    expect(cronWords(cron, "ru")).toBeNull();
  });
});

describe("the words of an interval", () => {
  it.each([
    [1_000, "Every second", "Каждую секунду"],
    [60_000, "Every minute", "Каждую минуту"],
    [90_000, "Every 90 seconds", "Каждые 90 секунд"],
    [300_000, "Every 5 minutes", "Каждые 5 минут"],
    [21 * 60_000, "Every 21 minutes", "Каждую 21 минуту"],
    [3_600_000, "Every hour", "Каждый час"],
    [3 * 3_600_000, "Every 3 hours", "Каждые 3 часа"],
    [86_400_000, "Every day", "Каждый день"],
    [5 * 86_400_000, "Every 5 days", "Каждые 5 дней"],
    [1_500, "Every 1.5 seconds", "Каждые 1,5 секунды"],
  ])("%d ms", (ms, en, ru) => {
    expect(intervalWords(ms, "en")).toBe(en);
    expect(intervalWords(ms, "ru")).toBe(ru);
  });
});
