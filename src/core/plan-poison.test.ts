import { describe, expect, it } from "vitest";
import { ledger, MINUTE, outlineOf, Story } from "./case.fixture.ts";
import type { CheckAnswer } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";

const story = (over: Partial<SendStepOutline> = {}): Story =>
  new Story(outlineOf({ kind: "step", name: "create", ...over }));
const reviewed = (one: Story): string => {
  const act = one.act("create");
  return act.kind === "review" ? act.review.reason : act.kind;
};
const notFound: CheckAnswer = { kind: "didNotHappen" };

describe("poison (R9)", () => {
  it("the third claim lost in a row with an attempt open goes to people, not to another worker", () => {
    const one = story();
    for (let losses = 1; losses <= 3; losses += 1) {
      expect(reviewed(one)).toBe("send");
      one.open("create").loseClaim("create");
    }
    expect(one.act("create")).toMatchObject({ review: { reason: "poison", owner: "purchasing-lead" } });
    expect(reviewed(one.settle().resume())).toBe("send");
  });

  it("neither sends nor asks at a destination that can be asked; after a resume the outcome is found out first", () => {
    const one = story({ destination: ledger, hasCheck: true });
    for (let losses = 1; losses <= 3; losses += 1) {
      one.open("create").loseClaim("create");
      if (losses < 3) one.wait(MINUTE).check("create", notFound).wait(MINUTE).check("create", notFound);
    }
    expect(reviewed(one)).toBe("poison");
    expect(reviewed(one.settle().resume())).toBe("check");
  });

  it("a late report of success counts before it", () => {
    const one = story();
    for (let losses = 1; losses <= 3; losses += 1) one.open("create").loseClaim("create");
    const ref = { step: "create", intentVersion: 1, attempt: 2 };
    const outcome = { kind: "succeeded", result: { kind: "value", value: 1 }, evidence: null } as const;
    one.append({
      kind: "lateReport",
      ...ref,
      claimId: "claim-1",
      holder: { kind: "engine", name: "e" },
      outcome,
    });
    expect(one.act("create")).toMatchObject({
      kind: "confirm",
      entry: { by: { how: "lateReport", attempt: 2 } },
    });
  });
});
