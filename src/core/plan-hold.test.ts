import { describe, expect, it } from "vitest";
import { failure, MINUTE, outlineOf, person, SECOND, START, Story } from "./case.fixture.ts";
import { destinationKey, type Hold } from "./in-flight.ts";
import type { Wait } from "./waits.ts";
import { areSameWaits, isHeldBack } from "./plan-hold.ts";
import { decideResume } from "./moves.ts";
import type { Act, Holds } from "./planning.ts";

const story = (): Story => new Story(outlineOf({ kind: "step", name: "create" }));
const key = destinationKey("erp", "erp-account");
const holding = (hold: Hold): Holds => new Map([[key, hold]]);
const actOf = (one: Story, holds: Holds): Act => one.act("create", { holds });
const where = { step: "create", destination: "erp", credentialId: "erp-account" };

describe("a send whose destination takes no more now", () => {
  it("waits, whether it is the first or a repeat, and no attempt is spent", () => {
    const holds = holding({ kind: "held", dueAt: START + MINUTE });
    const wait = { kind: "wait", wait: { kind: "held", ...where, dueAt: START + MINUTE } };
    expect(actOf(story(), holds)).toEqual(wait);
    const failed = story()
      .open("create")
      .fail("create", failure({ cause: "transient", executed: "maybe" }));
    expect(actOf(failed.wait(MINUTE), holds)).toEqual(wait);
  });

  it("waits for the owner of the access where that was refused to another case", () => {
    const holds = holding({ kind: "denied", dueAt: START + MINUTE, deniedAt: START, limit: null });
    expect(actOf(story(), holds)).toEqual({
      kind: "wait",
      wait: { kind: "access", ...where, dueAt: START + MINUTE, owner: "erp-admins" },
    });
  });

  it("is tried all the same once a person acted on that very case after the refusal", () => {
    const denied = story()
      .open("create")
      .fail("create", failure({ cause: "denied" }))
      .wait(SECOND)
      .append({ kind: "resumed", step: "create", by: person, reason: null });
    const after = holding({ kind: "denied", dueAt: START + MINUTE, deniedAt: denied.now - 1, limit: null });
    expect(actOf(denied, after)).toMatchObject({ kind: "send" });
    const again = holding({ kind: "denied", dueAt: START + MINUTE, deniedAt: denied.now + 1, limit: null });
    expect(actOf(denied, again)).toMatchObject({ kind: "wait", wait: { kind: "access" } });
  });

  it("is tried no faster than the limit says, however many people acted on cases at once", () => {
    const denied = story()
      .open("create")
      .fail("create", failure({ cause: "denied" }))
      .wait(SECOND)
      .append({ kind: "resumed", step: "create", by: person, reason: null });
    const within = (limit: Extract<Hold, { kind: "denied" }>["limit"]): Act =>
      actOf(denied, holding({ kind: "denied", dueAt: START + MINUTE, deniedAt: denied.now - 1, limit }));
    expect(within({ kind: "permit" })).toMatchObject({ kind: "send", needsPermit: true });
    expect(within({ kind: "held", dueAt: START + SECOND })).toEqual({
      kind: "wait",
      wait: { kind: "held", ...where, dueAt: START + SECOND },
    });
  });

  it("is resumable while it waits for access, though nothing is known of it at the desk", () => {
    const wait: Wait = { kind: "access", ...where, dueAt: START, owner: "erp-admins" };
    const waiting = story().append({ kind: "parked", waits: [wait], dueAt: START });
    const order = { by: person, reason: null };
    const resumed = (one: Story, step: string | null): string =>
      decideResume(one.planInput(), null, { ...order, step }).kind;
    expect([null, "create"].map((step) => resumed(waiting, step))).toEqual(["write", "write"]);
    expect(resumed(waiting, "other")).toBe("refused");
    expect(resumed(story(), null)).toBe("refused");
  });

  it("asks for a permit first where each send needs one", () => {
    expect(actOf(story(), holding({ kind: "permit" }))).toEqual({
      kind: "send",
      repeats: [],
      needsPermit: true,
    });
  });

  it("goes on where the hold is about another credential, and where there is none", () => {
    const other: Holds = new Map([[destinationKey("erp", "other"), { kind: "held", dueAt: START }]]);
    expect(actOf(story(), other)).toEqual({ kind: "send", repeats: [] });
    expect(actOf(story(), new Map())).toEqual({ kind: "send", repeats: [] });
  });

  it("leaves alone what sends nothing", () => {
    const sleeper = new Story(outlineOf({ kind: "sleep", name: "create", forMs: MINUTE }));
    const holds = holding({ kind: "held", dueAt: START });
    expect(actOf(sleeper, holds)).toMatchObject({ kind: "wait", wait: { kind: "timer" } });
  });
});

describe("the waits of a case that is looked at again", () => {
  const held: Wait = { kind: "held", ...where, dueAt: START };
  const access: Wait = { kind: "access", ...where, dueAt: START, owner: "erp-admins" };
  const poll: Wait = {
    kind: "poll",
    step: "export",
    dueAt: START,
    untilAt: START + MINUTE,
    destination: "erp",
    why: "it runs",
  };
  const timer: Wait = { kind: "timer", step: "pause", dueAt: START };

  it("are the same whenever what is held back is looked at again", () => {
    expect(areSameWaits([held, timer], [{ ...held, dueAt: START + 1 }, timer])).toBe(true);
    expect(areSameWaits([access], [{ ...access, dueAt: START + 1 }])).toBe(true);
    expect(areSameWaits([poll], [{ ...poll, dueAt: START + 1 }])).toBe(true);
  });

  it("differ by what is waited for, by where, by any other time, and by their number", () => {
    expect(areSameWaits([held], [access])).toBe(false);
    expect(areSameWaits([held], [{ ...held, step: "other" }])).toBe(false);
    expect(areSameWaits([held], [{ ...held, destination: "crm" }])).toBe(false);
    expect(areSameWaits([held], [{ ...held, credentialId: "other" }])).toBe(false);
    expect(areSameWaits([timer], [{ ...timer, dueAt: START + 1 }])).toBe(false);
    expect(areSameWaits([poll], [{ ...poll, why: "it is queued" }])).toBe(false);
    expect(areSameWaits([poll], [{ ...poll, untilAt: START }])).toBe(false);
    expect(areSameWaits([held], [])).toBe(false);
    expect(areSameWaits([], [])).toBe(true);
  });

  it("are told from those that nothing outside imposes", () => {
    expect([held, access, timer].map(isHeldBack)).toEqual([true, true, false]);
  });
});
