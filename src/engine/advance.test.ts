import { describe, expect, test } from "vitest";
import { failureOf } from "../core/failure.ts";
import type { Entry } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import { didNotHappen } from "../define/answers.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType } from "../define/case-type.ts";
import { defineDestination } from "../define/destination.ts";
import { probe } from "../define/probe.ts";
import { COMMIT_ENTRIES_MAX } from "../store/port.ts";
import { ONWARD_ENTRIES_MAX, preview } from "./advance.ts";
import { advanced, ann, anything, startedState, withAttempt } from "./case-types.fixture.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const register = defineDestination("register", { idempotency: { by: "lookup" } });
const options = { version: 1, owner: "ops", input: anything } as const;
const run = (): unknown => null;

const twoSends = defineCase("two", options).step("first", { to: erp, run }).step("second", { to: erp, run });

function kinds(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) =>
    entry.kind === "reviewOpened" ? `reviewOpened ${entry.review.reason}` : entry.kind,
  );
}

function confirmed(step: string, intentVersion = 1): Entry {
  return {
    kind: "stepConfirmed",
    step,
    intentVersion,
    basis: "",
    result: { kind: "value", value: null },
    evidence: null,
    by: { how: "response", attempt: 1 },
  };
}

/** The confirmation as an attempt would have brought it: on the basis of its intent. */
function confirmationOf(entries: readonly Entry[], step: string): Entry {
  const intent = entries.find((entry) => entry.kind === "intentOpened" && entry.step === step);
  const entry = confirmed(step);
  return entry.kind === "stepConfirmed" && intent?.kind === "intentOpened"
    ? { ...entry, basis: intent.basis }
    : entry;
}

function failed(step: string, cause: "rejected" | "transient", executed: "no" | "maybe" = "no"): Entry {
  return {
    kind: "attemptFailed",
    step,
    intentVersion: 1,
    attempt: 1,
    retryAt: null,
    failure: failureOf({ cause, executed, rule: "test", sentence: "it failed" }),
  };
}

describe("the next commit of a case", () => {
  test("opens intent and attempt of a step that is to be sent, and keeps the claim", () => {
    const { next } = advanced(twoSends, startedState(twoSends));
    expect(kinds(next.onward)).toEqual(["intentOpened", "attemptOpened"]);
    expect(next.opens).toEqual({ step: "first", intentVersion: 1, attempt: 1 });
    expect(next.end).toBe("keep");
  });

  test("says that an attempt is wanted where the gate has not been asked, and opens none", () => {
    const { next } = advanced(twoSends, startedState(twoSends), { mayOpenAttempt: false });
    expect(next).toMatchObject({ wantsAttempt: true, onward: [], opens: null, end: "keep" });
  });

  test("confirms one step and opens the next in one commit", () => {
    const first = advanced(twoSends, startedState(twoSends));
    const { next } = advanced(twoSends, first.state, {
      outcomes: [confirmationOf(first.next.onward, "first")],
    });
    expect(kinds(next.onward)).toEqual(["intentOpened", "attemptOpened"]);
    expect(next.opens).toEqual({ step: "second", intentVersion: 1, attempt: 1 });
  });

  test("ends the case with the confirmation of its last step", () => {
    const one = defineCase("one", options).step("only", { to: erp, run });
    const first = advanced(one, startedState(one));
    const { next, state } = advanced(one, first.state, {
      outcomes: [confirmationOf(first.next.onward, "only")],
    });
    expect(kinds(next.onward)).toEqual(["caseDone"]);
    expect(next.end).toBe("settled");
    expect(state.rest.kind).toBe("done");
  });

  test("parks a case that waits for people, and says until when", () => {
    const asks = defineCase("asks", options).approval("approve", { by: "finance", expires: "1h" });
    const { next, state } = advanced(asks, startedState(asks, {}, 1_000));
    expect(kinds(next.onward)).toEqual(["parked"]);
    expect(next.end).toBe("settled");
    expect(state.rest).toMatchObject({ kind: "waiting", dueAt: 3_601_000 });
  });

  test("never leaves an open case where nobody sees it, even if its definition no longer fits", () => {
    const before = defineCase("changed", options).step("old", { to: erp, run });
    const after = defineCase("changed", options).step("other", { to: erp, after: [], run });
    const { state: opened } = withAttempt(before, startedState(before));
    const { state } = advanced(after, opened, { mayOpenAttempt: false });
    const reviews = Object.values(state.steps).flatMap(({ review }) =>
      review === null ? [] : [review.reason],
    );
    expect(reviews).toEqual(["unknown"]);
  });

  test("opens attempts of independent steps one after the other, each beside those under way", () => {
    const wide = defineCase("wide", options)
      .step("a", { to: erp, after: [], run })
      .step("b", { to: erp, after: [], run });
    const first = advanced(wide, startedState(wide));
    expect(first.next.opens?.step).toBe("a");
    const second = advanced(wide, first.state, { busy: new Set(["a"]) });
    expect(second.next.opens?.step).toBe("b");
    const third = advanced(wide, second.state, { busy: new Set(["a", "b"]) });
    expect(third.next).toMatchObject({ onward: [], opens: null, wantsAttempt: false, end: "keep" });
  });

  test("keeps the claim while a step is under way, and parks only when none is", () => {
    const mixed = defineCase("mixed", options)
      .step("send", { to: erp, after: [], run })
      .approval("approve", { by: "finance", after: [] });
    const first = advanced(mixed, startedState(mixed));
    const busy = advanced(mixed, first.state, { busy: new Set(["send"]) });
    expect(busy.next).toMatchObject({ onward: [], end: "keep" });
    const parked = advanced(mixed, busy.state, { outcomes: [confirmationOf(first.next.onward, "send")] });
    expect(kinds(parked.next.onward)).toEqual(["parked"]);
  });

  test("is never larger than a commit may be, however much there is to write down", () => {
    const steps = 60;
    let naps: CaseType = defineCase("naps", options).sleep("s0", { for: "1ms", after: [] });
    for (let n = 1; n < steps; n += 1) {
      naps = (naps as ReturnType<typeof defineCase<typeof anything>>).sleep(`s${n}`, {
        for: "1ms",
        after: [],
      });
    }
    let state = startedState(naps);
    const sizes: number[] = [];
    for (let commits = 0; commits < 10 && state.rest.kind !== "done"; commits += 1) {
      const { next, state: after } = advanced(naps, state, { now: 2_000 });
      sizes.push(next.onward.length);
      state = after;
    }
    expect(state.rest.kind).toBe("done");
    expect(sizes).toEqual([ONWARD_ENTRIES_MAX, ONWARD_ENTRIES_MAX, 13]);
    expect(Math.max(...sizes)).toBeLessThan(COMMIT_ENTRIES_MAX);
  });
});

describe("a process that winds down", () => {
  test("gives a case back as it stands, and begins nothing", () => {
    const { next } = advanced(twoSends, startedState(twoSends), { mayBegin: false });
    expect(next).toMatchObject({
      onward: [],
      opens: null,
      wantsAttempt: false,
      questions: [],
      end: "handBack",
    });
  });

  test("keeps a case whose step is under way, and stores what it brings", () => {
    const first = advanced(twoSends, startedState(twoSends));
    const busy = advanced(twoSends, first.state, { mayBegin: false, busy: new Set(["first"]) });
    expect(busy.next.end).toBe("keep");
    const last = advanced(twoSends, first.state, {
      mayBegin: false,
      outcomes: [confirmationOf(first.next.onward, "first")],
    });
    expect(last.next).toMatchObject({ onward: [], end: "handBack" });
    expect(last.state.steps["first"]?.confirmation).not.toBeNull();
  });
});

describe("a request of a person that the claim was told of", () => {
  const cancel: Entry = { kind: "cancelRequested", by: ann, reason: "not needed" };
  const pause: Entry = { kind: "pauseRequested", by: ann, reason: null, untilAt: 9_000 };

  test("to cancel is carried out before anything is sent", () => {
    const state = preview(startedState(twoSends), [cancel], 1_000);
    const { next, state: after } = advanced(twoSends, state);
    expect(kinds(next.onward)).toEqual(["canceled"]);
    expect(next.end).toBe("settled");
    expect(after.rest).toMatchObject({ kind: "canceled", reason: "not needed" });
  });

  test("to pause waits for what is under way, begins nothing meanwhile, and then is carried out", () => {
    const wide = defineCase("wide", options)
      .step("a", { to: erp, after: [], run })
      .step("b", { to: erp, after: [], run });
    const first = advanced(wide, startedState(wide));
    const asked = preview(first.state, [pause], 1_000);
    const busy = advanced(wide, asked, { busy: new Set(["a"]) });
    expect(busy.next).toMatchObject({ onward: [], opens: null, end: "keep" });
    const { next, state } = advanced(wide, asked, {
      outcomes: [confirmationOf(first.next.onward, "a")],
    });
    expect(kinds(next.onward)).toEqual(["paused"]);
    expect(state.rest).toMatchObject({ kind: "paused", untilAt: 9_000 });
  });
});

function asking(request: () => Json): CaseType {
  return defineCase("asking", options).step("send", { to: erp, request, run });
}

describe("a request that is to be sent", () => {
  test.each<[string, () => Json, RegExp]>([
    [
      "throws",
      () => {
        throw new Error("no vendor");
      },
      /it threw Error: no vendor/,
    ],
    [
      "throws what cannot be read",
      () => {
        throw Object.create(null) as Error;
      },
      /something that cannot be read/,
    ],
    ["is no JSON", () => 1n as never, /bigint/],
  ])("and %s opens a review, and nothing is sent", (_, request, sentence) => {
    const { next, state } = advanced(asking(request), startedState(asking(request)));
    expect(kinds(next.onward)).toEqual(["reviewOpened bug", "parked"]);
    expect(next.opens).toBeNull();
    expect(state.steps["send"]?.review?.sentence).toMatch(sentence);
    expect(state.rest.kind).toBe("in_review");
  });

  test("again under an unsettled intent is the one that was journaled; the author is not asked for another", () => {
    let calls = 0;
    const order = defineCase("order", options).step("send", {
      to: erp,
      request: ({ input }) => {
        calls += 1;
        if (calls > 1) throw new Error("asked twice");
        return { input };
      },
      run,
    });
    const first = withAttempt(order, startedState(order, { amount: 5 }));
    const lost: Entry = { kind: "inputCorrected", input: { amount: 9 }, by: ann, reason: "typo" };
    const unsure = preview(first.state, [failed("send", "transient", "maybe"), lost], 2_000);
    const { next, state } = advanced(order, unsure, { now: 2_000 });
    expect(kinds(next.onward)).toEqual(["attemptOpened"]);
    expect(next.opens).toEqual({ step: "send", intentVersion: 1, attempt: 2 });
    expect(state.steps["send"]?.intent?.request).toBe('{"input":{"amount":5}}');
  });

  test("exactly as it was rejected goes back to people, and other branches go on", () => {
    const wide = defineCase("wide", options)
      .step("a", { to: erp, after: [], request: () => ({ n: 1 }), run })
      .step("b", { to: erp, after: [], run });
    const first = withAttempt(wide, startedState(wide));
    const resumed: Entry = { kind: "resumed", step: "a", by: ann, reason: null };
    const state = preview(first.state, [failed("a", "rejected"), resumed], 2_000);
    const { next } = advanced(wide, state, { now: 2_000 });
    expect(kinds(next.onward)).toEqual(["reviewOpened rejected", "intentOpened", "attemptOpened"]);
    expect(next.opens?.step).toBe("b");
  });
});

describe("questions", () => {
  test("are asked where it is not known whether a step happened and its destination can be asked", () => {
    const order = defineCase("order", options).step("send", {
      to: register,
      run,
      check: () => didNotHappen(),
    });
    const { state } = withAttempt(order, startedState(order));
    const { next } = advanced(order, preview(state, [failed("send", "transient", "maybe")], 2_000));
    expect(next.questions).toMatchObject([{ kind: "check", step: { name: "send" } }]);
    expect(next).toMatchObject({ onward: [], end: "keep", wantsAttempt: false });
  });

  test("are asked of probes whose answer is needed, before anything is sent", () => {
    const order = defineCase("order", options).step("send", {
      to: erp,
      before: { "the shop is open": probe({ of: erp, ask: () => true }) },
      run,
    });
    const { next } = advanced(order, startedState(order));
    expect(next.questions).toEqual([{ kind: "probe", step: "send", conditions: ["the shop is open"] }]);
    expect(next).toMatchObject({ onward: [], opens: null, end: "keep" });
  });
});
