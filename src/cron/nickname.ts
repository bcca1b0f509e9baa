import { CronError } from "./cron-error.js";
import { parseEvery } from "./every.js";
import type { IntervalRule } from "./rule.js";
import type { Word } from "./words.js";

const EXPRESSIONS = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const KNOWN = `${[...EXPRESSIONS.keys()].join(", ")} or @every 1h30m`;

/**
 * The expression that a nickname stands for, or the rule of `@every`. Names are read in any case.
 *
 * @throws CronError
 */
export function parseNickname(words: readonly [Word, ...Word[]]): string | IntervalRule {
  const [first, second, third] = words;
  const name = first.text.toLowerCase();
  if (name === "@every") {
    if (third !== undefined) throw surplus(third, "@every takes one duration, without spaces");
    return parseEvery(second?.text ?? "", (second?.start ?? first.start) + 1);
  }
  if (name === "@reboot") {
    throw new CronError(
      null,
      first.start + 1,
      "@reboot is not supported: a schedule names instants, and a start is none; enqueue a job at start",
    );
  }
  const expression = EXPRESSIONS.get(name);
  if (expression === undefined)
    throw new CronError(null, first.start + 1, `unknown nickname; write ${KNOWN}`);
  if (second !== undefined) throw surplus(second, `${name} stands alone`);
  return expression;
}

function surplus(word: Word, rule: string): CronError {
  return new CronError(null, word.start + 1, `${rule}; remove what follows`);
}
