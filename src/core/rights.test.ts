import { describe, expect, it } from "vitest";
import {
  BUILT_IN_ROLES,
  grantsOf,
  mayDo,
  mayDoForType,
  narrowed,
  verbsOf,
  VERBS,
  visibleCases,
  type Grant,
} from "./rights.ts";

const acme: Grant = { verbs: ["see", "resume"], tenants: ["acme"], caseTypes: "all" };
const refunds: Grant = { verbs: ["cancel"], tenants: "all", caseTypes: ["refund"] };
const everything: Grant = { verbs: "all", tenants: "all", caseTypes: "all" };

describe("a right", () => {
  it("needs one grant that covers the verb, the tenant and the type; two halves make none", () => {
    const grants = [acme, refunds];
    expect(mayDo(grants, "resume", { tenant: "acme", caseType: "purchase" })).toBe(true);
    expect(mayDo(grants, "resume", { tenant: "beta", caseType: "purchase" })).toBe(false);
    expect(mayDo(grants, "cancel", { tenant: "acme", caseType: "purchase" })).toBe(false);
    expect(mayDo(grants, "cancel", { tenant: "beta", caseType: "refund" })).toBe(true);
    expect(mayDo([], "see", { tenant: "acme", caseType: "purchase" })).toBe(false);
  });

  it("over what belongs to no case needs a grant over all of them", () => {
    expect(mayDo([acme], "see", "house")).toBe(false);
    expect(mayDo([refunds], "cancel", "house")).toBe(false);
    expect(mayDo([everything], "seeWorkers", "house")).toBe(true);
  });

  it("for a type is had for any of its tenants, or for every one", () => {
    expect(mayDoForType([acme], "see", { caseType: "purchase", tenants: "any" })).toBe(true);
    expect(mayDoForType([acme], "see", { caseType: "purchase", tenants: "every" })).toBe(false);
    expect(mayDoForType([refunds], "cancel", { caseType: "refund", tenants: "every" })).toBe(true);
    expect(mayDoForType([refunds], "cancel", { caseType: "purchase", tenants: "any" })).toBe(false);
    expect(mayDoForType([refunds], "see", { caseType: "refund", tenants: "any" })).toBe(false);
  });

  it("makes cases visible by each grant that has it, or all of them", () => {
    expect(visibleCases([acme, refunds], "see")).toEqual([{ tenants: ["acme"], caseTypes: null }]);
    expect(visibleCases([refunds], "cancel")).toEqual([{ tenants: null, caseTypes: ["refund"] }]);
    expect(visibleCases([acme, everything], "see")).toBeNull();
    expect(visibleCases([], "see")).toEqual([]);
  });
});

function verbs(role: string): readonly string[] {
  return verbsOf(grantsOf(BUILT_IN_ROLES, [role]));
}

describe("a role", () => {
  it("that nobody knows grants nothing", () => {
    expect(grantsOf(BUILT_IN_ROLES, ["viewer", "wizard"])).toEqual(BUILT_IN_ROLES.get("viewer"));
  });

  it("of those built in has what it is for, and no more", () => {
    expect(verbs("viewer")).toEqual(["see", "seeInbox", "seeWorkers", "seeNotices"]);
    expect(verbs("approver")).toEqual(["see", "approve", "note"]);
    expect(verbs("admin")).toEqual(VERBS);
    for (const risky of ["approve", "force", "confirm", "skip", "redo", "undo", "cancel", "ignore"]) {
      expect(verbs("operator")).not.toContain(risky);
    }
  });

  it("is narrowed to the scopes of a token, never widened", () => {
    expect(narrowed([acme], "all")).toEqual([acme]);
    expect(verbsOf(narrowed([acme, everything], ["see", "cancel"]))).toEqual(["see", "cancel"]);
    expect(verbsOf(narrowed([acme], ["cancel"]))).toEqual([]);
  });
});
