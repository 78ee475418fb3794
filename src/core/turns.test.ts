import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PRIORITY_STEP_MS, type Priority } from "./starting.ts";
import {
  afterClaim,
  compareGroups,
  FIRST_ROUND,
  sharedPlaces,
  takeTurns,
  TURN_GROUPS_MAX,
  type DueCase,
  type TurnGroup,
  type TurnRound,
} from "./turns.ts";

/** `order/acme` due at 7, of normal priority unless said. */
function due(group: string, dueAt: number, priority: Priority = "normal"): DueCase {
  return { ...groupOf(group), dueAt, priority };
}

function groupOf(group: string): TurnGroup {
  const [caseType = "", tenant = ""] = group.split("/");
  return { caseType, tenant };
}

const behind: TurnRound = { ...FIRST_ROUND, isBehind: true };

describe("the places that go round", () => {
  test.each([
    [FIRST_ROUND, 64, 0],
    [behind, 64, 32],
    [behind, 5, 2],
    [behind, 2, 1],
    [behind, 1, 1],
    [{ ...behind, hasShared: true }, 1, 0],
    [{ ...behind, hasShared: true }, 2, 1],
  ])("after %j, of %i places, are %i", (round, places, shared) => {
    expect(sharedPlaces(round, places)).toBe(shared);
  });

  test("a claim that shared nothing leaves the round where it was", () => {
    const after = groupOf("order/acme");
    const round = { isBehind: true, hasShared: true, after };
    expect(afterClaim(round, { shared: 0, sharedTo: null, isBehind: true })).toEqual({
      isBehind: true,
      hasShared: false,
      after,
    });
    const sharedTo = groupOf("order/beta");
    expect(afterClaim(round, { shared: 1, sharedTo, isBehind: false })).toEqual({
      isBehind: false,
      hasShared: true,
      after: sharedTo,
    });
  });
});

describe("whose turn it is", () => {
  const piledUp = Array.from({ length: 100 }, (_, n) => due("order/acme", n));
  const late = due("order/beta", 5_000);
  const other = due("refund/acme", 6_000);
  const groups = ["refund/acme", "order/beta", "order/acme"].map(groupOf);

  test("without shared places: the longest due, a priority counting for ten minutes", () => {
    const high = due("order/beta", PRIORITY_STEP_MS + 1, "high");
    const wishes = { places: 3, shared: 0, after: null, groups };
    expect(takeTurns([...piledUp, high], wishes)).toEqual({
      taken: [piledUp[0], piledUp[1], high],
      sharedTo: null,
    });
  });

  test("what one group has piled up holds no other up", () => {
    const wishes = { places: 6, shared: 3, after: null, groups };
    const { taken, sharedTo } = takeTurns([...piledUp, late, other], wishes);
    expect(new Set(taken)).toEqual(new Set([late, other, ...piledUp.slice(0, 4)]));
    expect(sharedTo).toBeNull();
  });

  test("within a group the first turns go first, and the groups have equal parts, the first ones one more", () => {
    const urgent = due("order/beta", 5_500, "high");
    const wishes = { places: 3, shared: 3, after: null, groups: groups.slice(1) };
    const { taken } = takeTurns([...piledUp, late, urgent], wishes);
    expect(taken).toEqual([piledUp[0], urgent, piledUp[1]]);
  });

  test("a group that has too little for its part leaves the rest to the first turns of all", () => {
    const wishes = { places: 4, shared: 4, after: null, groups };
    const { taken } = takeTurns([...piledUp, late], wishes);
    expect(new Set(taken)).toEqual(new Set([late, ...piledUp.slice(0, 3)]));
  });

  test("where there are more groups than places, the next claim goes on after the last one that had a place", () => {
    const all = [...piledUp, late, other];
    const first = takeTurns(all, { places: 1, shared: 1, after: null, groups });
    expect(first).toEqual({ taken: [piledUp[0]], sharedTo: groupOf("order/acme") });
    const second = takeTurns(all, { places: 1, shared: 1, after: first.sharedTo, groups });
    expect(second).toEqual({ taken: [late], sharedTo: groupOf("order/beta") });
    const third = takeTurns(all, { places: 1, shared: 1, after: second.sharedTo, groups });
    expect(third).toEqual({ taken: [other], sharedTo: null });
  });

  test("a claim looks at so many groups and no more, and the next goes on after the last of them", () => {
    const many = Array.from({ length: TURN_GROUPS_MAX + 3 }, (_, n) =>
      groupOf(`order/t${String(n).padStart(3, "0")}`),
    );
    const waiting = { places: 2, shared: 1, after: null, groups: many };
    const last = many.at(-1) ?? groupOf("");
    const one = due(`order/${last.tenant}`, 9_000);
    const first = takeTurns([...piledUp, one], waiting);
    expect(first).toEqual({ taken: piledUp.slice(0, 2), sharedTo: many[TURN_GROUPS_MAX - 1] });
    const second = takeTurns([...piledUp, one], { ...waiting, after: first.sharedTo });
    expect(second).toEqual({ taken: [one, piledUp[0]], sharedTo: null });
  });
});

describe("whatever is due", () => {
  const anyGroup = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 20 }));

  test("every first of a group is taken within a number of claims that only the groups decide, however much is due", () => {
    fc.assert(
      fc.property(
        fc.array(anyGroup, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 16 }),
        (late, places) => {
          const small = late.map(([type, tenant]) => groupOf(`type${type}/tenant${tenant}`));
          const groups = uniqueGroups([groupOf("order/acme"), ...small]);
          // More comes to the big one with every claim, longer due than all others.
          const bound =
            2 + 2 * Math.ceil(groups.length / Math.max(1, Math.min(places >> 1, TURN_GROUPS_MAX)));
          let left = uniqueGroups(small).map((group): DueCase => ({
            ...group,
            dueAt: 1_000_000,
            priority: "low",
          }));
          let round = FIRST_ROUND;
          for (let claim = 0; claim < bound; claim += 1) {
            const piledUp = Array.from({ length: places }, (_, n) => due("order/acme", n, "high"));
            const shared = sharedPlaces(round, places);
            const turns = takeTurns([...piledUp, ...left], { places, shared, after: round.after, groups });
            expect(turns.taken).toHaveLength(places);
            left = left.filter((one) => !turns.taken.includes(one));
            round = afterClaim(round, { shared, sharedTo: turns.sharedTo, isBehind: true });
          }
          expect(left).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("as many are taken as there are places or cases, each once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyGroup, fc.integer({ min: 0, max: 1_000 })), { maxLength: 80 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 20 }),
        fc.option(anyGroup),
        (cases, places, shared, last) => {
          const all = cases.map(([[type, tenant], dueAt]) => due(`type${type}/tenant${tenant}`, dueAt));
          const after = last === null ? null : groupOf(`type${last[0]}/tenant${last[1]}`);
          const wishes = { places, shared: Math.min(shared, places), after, groups: uniqueGroups(all) };
          const { taken } = takeTurns(all, wishes);
          expect(new Set(taken).size).toBe(taken.length);
          expect(taken).toHaveLength(Math.min(places, all.length));
        },
      ),
      { numRuns: 40 },
    );
  });
});

function uniqueGroups(groups: readonly TurnGroup[]): readonly TurnGroup[] {
  return groups
    .map(({ caseType, tenant }) => ({ caseType, tenant }))
    .filter((one, at, all) => all.findIndex((other) => compareGroups(one, other) === 0) === at);
}
