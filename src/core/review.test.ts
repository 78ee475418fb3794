import { describe, expect, it } from "vitest";
import { destination, failure, outlineOf, rejection } from "./case.fixture.ts";
import type { ReviewReason } from "./journal.ts";
import type { StepOutline } from "./outline.ts";
import { ownerOf, reviewFor, reviewForFailure } from "./review.ts";

const owners = { access: "access-team", input: "input-team", outage: "outage-team" };
const outline = outlineOf(
  { kind: "step", name: "create", destination: destination({ owners }) },
  {
    kind: "step",
    name: "lonely",
    destination: destination({ owners: { access: null, input: null, outage: null } }),
  },
  { kind: "approval", name: "approve" },
  { kind: "sleep", name: "pause" },
);
function step(name: string): StepOutline {
  const found = outline.steps.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

const OWNERS: Record<ReviewReason, string> = {
  rejected: "input-team",
  denied: "access-team",
  quota: "access-team",
  limit: "outage-team",
  unknown: "outage-team",
  gone: "outage-team",
  conflict: "outage-team",
  staysOutside: "outage-team",
  mayExistTwice: "outage-team",
  bug: "purchasing-lead",
  precondition: "purchasing-lead",
  lapsed: "purchasing-lead",
  unreadable: "purchasing-lead",
  poison: "purchasing-lead",
  refused: "purchasing-lead",
  expired: "purchasing-lead",
};
const reasons = Object.keys(OWNERS) as readonly ReviewReason[];

describe("the owner of a review", () => {
  it.each(reasons)("of a step that is %s is who can help", (reason) => {
    expect(ownerOf(outline, step("create"), reason)).toBe(OWNERS[reason]);
  });

  it("is never missing: the owner of the case type takes what no destination owner covers", () => {
    for (const reason of reasons) {
      expect(ownerOf(outline, step("lonely"), reason)).toBe("purchasing-lead");
      expect(ownerOf(outline, step("pause"), reason)).toBe("purchasing-lead");
    }
  });

  it("of an approval that was refused or expired is who was asked", () => {
    expect(ownerOf(outline, step("approve"), "refused")).toBe("finance");
    expect(ownerOf(outline, step("approve"), "expired")).toBe("finance");
    expect(ownerOf(outline, step("approve"), "precondition")).toBe("purchasing-lead");
  });
});

describe("what a review says", () => {
  it("is one sentence, with the fields that a destination named and what was tried", () => {
    expect(reviewFor(outline, step("create"), "limit", "It stopped.")).toEqual({
      step: "create",
      reason: "limit",
      sentence: "It stopped.",
      owner: "outage-team",
      nextCheckAllowedAt: null,
    });
    const sentence = (tried: string): string =>
      reviewForFailure(outline, step("create"), rejection, "rejected", tried).sentence;
    expect(sentence("")).toBe("erp rejected the request. (vendor: is unknown)");
    expect(sentence("Tried twice.")).toBe("erp rejected the request. (vendor: is unknown) Tried twice.");
    expect(reviewForFailure(outline, step("create"), failure(), "bug", "").sentence).toBe(
      "erp refused the connection.",
    );
  });
});
