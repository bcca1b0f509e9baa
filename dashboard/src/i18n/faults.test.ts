import { describe, expect, it } from "vitest";
import { parseJobQuery } from "../../../src/core/job-query/parse.js";
import { KonveierError } from "../../../src/core/errors.js";
import { faultText, filterFaultText } from "./faults.js";

/** What is said of a filter that the server refuses. */
function saidOf(filter: string): string {
  try {
    parseJobQuery(filter);
  } catch (error) {
    const [fault] = error instanceof KonveierError ? error.faults : [];
    if (fault === undefined) throw error;
    return filterFaultText("ru", fault, filter.slice(0, fault.position));
  }
  throw new Error("It has no fault");
}

describe("a fault", () => {
  it.each([
    ["state:ded", "нет такого состояния; возможно, «dead»?"],
    ["queue:a attempt>x", "нужно целое число"],
    ["created>soon", "нужны дата и время или срок: 15m, 2h, 7d, +30m"],
    ["quue:a", "такого слова в фильтре нет; возможно, «queue»?"],
    ["queue:", "здесь не хватает значения"],
    ['error~"x', "кавычка не закрыта"],
    ["queue>3", "этот знак здесь не подходит"],
    ["fingerprint:x", "такое значение здесь не подходит"],
  ])("of the filter %s is told in Russian", (filter, text) => {
    expect(saidOf(filter)).toBe(text);
  });

  it("of a field keeps the bounds that the server names", () => {
    const fault = { code: "out_of_range", detail: "must be a whole number from 0 to 9" };
    expect(faultText("ru", fault)).toBe("нужно целое число от 0 до 9");
    expect(faultText("en", fault)).toBe("must be a whole number from 0 to 9");
  });

  it("that is not known here is told in the server's words", () => {
    expect(faultText("ru", { code: "brand_new", detail: "is new" })).toBe("is new");
  });
});
