import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";

/** What another library says: the next instant, `null` for none, or that it does not read the expression. */
export type Answer = number | null | "not read";

export interface Oracle {
  readonly name: "croner" | "cron-parser";
  next(text: string, zone: string, after: number): Answer;
}

/** With the options under which it comes nearest to our grammar and to our fixed and stepped rules. */
export const croner: Oracle = {
  name: "croner",
  next(text, timezone, after) {
    let cron: Cron;
    try {
      cron = new Cron(text, { timezone, paused: true, sloppyRanges: true, fixedTimeRule: "no-wildcard" });
    } catch {
      return "not read";
    }
    return cron.nextRun(new Date(after))?.getTime() ?? null;
  },
};

export const cronParser: Oracle = {
  name: "cron-parser",
  next(text, tz, after) {
    try {
      const rule = CronExpressionParser.parse(text, { tz, currentDate: new Date(after) });
      return rule.next().getTime();
    } catch (error) {
      return error instanceof Error && /loop limit|time span/i.test(error.message) ? null : "not read";
    }
  },
};
