import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dealShares, type Group } from "./fair-shares.js";

const NAMES = ["a", "b", "c"] as const;

const line = fc
  .array(fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }), { maxLength: 12 })
  .map((groups) => groups.map((draws, index): Group => ({ keys: String(index), draws })));
const allowances = fc
  .tuple(...NAMES.map(() => fc.integer({ min: -2, max: 8 })))
  .map((numbers) => new Map<string, number>(NAMES.map((name, index) => [name, numbers[index] ?? 0])));
const room = fc.integer({ min: 0, max: 40 });

describe("dealing shares", () => {
  test("never deals more than there is room, nor more than is allowed", () => {
    fc.assert(
      fc.property(line, room, allowances, (groups, free, left) => {
        const before = new Map(left);
        const { shares } = dealShares(groups, free, left);
        expect(shares.reduce((sum, { n }) => sum + n, 0)).toBeLessThanOrEqual(free);
        for (const name of NAMES) {
          const used = shares
            .filter(({ group }) => group.draws.includes(name))
            .reduce((sum, { n }) => sum + n, 0);
          expect(used).toBeLessThanOrEqual(Math.max(0, before.get(name) ?? 0));
          expect(left.get(name)).toBe((before.get(name) ?? 0) - used);
        }
      }),
    );
  });

  test("leaves room only when nobody may take more", () => {
    fc.assert(
      fc.property(line, room, allowances, (groups, free, left) => {
        const { shares } = dealShares(groups, free, left);
        const dealt = shares.reduce((sum, { n }) => sum + n, 0);
        if (dealt === free) return;
        for (const { draws } of groups) expect(draws.some((name) => (left.get(name) ?? 0) < 1)).toBe(true);
      }),
    );
  });

  test("nobody gets two more than another one who may take as much", () => {
    fc.assert(
      fc.property(line, room, allowances, (groups, free, left) => {
        const { shares } = dealShares(groups, free, left);
        const open = groups.filter(({ draws }) => draws.length === 0);
        const counts = open.map((group) => shares.find((share) => share.group === group)?.n ?? 0);
        if (counts.length > 0) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        const most = Math.max(0, ...shares.map(({ n }) => n));
        if (counts.length > 0) expect(most - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("whoever was served last is at the end of the line, and nobody leaves it", () => {
    fc.assert(
      fc.property(line, room, allowances, (groups, free, left) => {
        const deal = dealShares(groups, free, left);
        expect(new Set(deal.line)).toEqual(new Set(groups));
        const served = deal.line.filter((group) => deal.shares.some((share) => share.group === group));
        const able = served.filter(({ draws }) => draws.every((name) => (left.get(name) ?? 0) >= 1));
        if (deal.last !== null && able.includes(deal.last)) expect(able.at(-1)).toBe(deal.last);
      }),
    );
  });
});
