import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { COMPANY_MAX, companyOf, mayJoin, type Company } from "./company.ts";
import { LOSSES_MAX } from "./plan-send.ts";

describe("the company of a case that lost its worker (R9)", () => {
  test.each([
    [0, "any"],
    [1, "lost"],
    [2, "none"],
    [3, "none"],
  ] as const)("after %i losses in a row: %s", (losses, company) => {
    expect(companyOf(losses)).toBe(company);
  });

  test.each<[Company, Company, number, boolean]>([
    ["any", "any", 0, true],
    ["any", "any", 200, true],
    ["any", "lost", 1, false],
    ["any", "none", 1, false],
    ["any", "none", 0, true],
    ["lost", "any", 1, false],
    ["lost", "any", 0, true],
    ["lost", "lost", COMPANY_MAX - 1, true],
    ["lost", "lost", COMPANY_MAX, false],
    ["lost", "none", 1, false],
    ["none", "none", 1, false],
    ["none", "none", 0, true],
    ["none", "any", 1, false],
    ["none", "lost", 1, false],
  ])("%s beside %s with %i open: %s", (company, there, open, may) => {
    expect(mayJoin(company, { company: there, open })).toBe(may);
  });

  it("brings whoever kills its worker to people, and nobody else, however many there are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
        fc.infiniteStream(fc.nat()),
        (kills, picks) => {
          const cases = kills.map((isKiller) => ({ isKiller, losses: 0, isDone: false }));
          const isOpen = (one: (typeof cases)[number]): boolean => !one.isDone && one.losses < LOSSES_MAX;
          // One worker after another, each given what is left in any order, as much of it as may be open together.
          while (cases.some(isOpen)) {
            const left = cases.filter(isOpen);
            const tried: typeof cases = [];
            let company: Company = "any";
            while (left.length > 0) {
              const [next] = left.splice((picks.next().value ?? 0) % left.length, 1);
              if (next === undefined) break;
              const own = companyOf(next.losses);
              if (!mayJoin(own, { company, open: tried.length })) continue;
              company = own;
              tried.push(next);
            }
            const isKilled = tried.some(({ isKiller }) => isKiller);
            for (const one of tried) {
              one.losses += isKilled ? 1 : 0;
              one.isDone = !isKilled;
            }
          }
          for (const { isKiller, isDone } of cases) expect(isDone).toBe(!isKiller);
        },
      ),
    );
  });
});
