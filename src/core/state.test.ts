import { describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND, START } from "./case.fixture.ts";
import type { Review, ReviewReason } from "./journal.ts";
import type { Wait } from "./waits.ts";
import type { CaseSummary, StoredState } from "./row.ts";
import {
  readState,
  seemsAlive,
  type DestinationReading,
  type Holder,
  type KeyHolder,
  type KeyStanding,
  type ReadableState,
  type Reading,
  type ReadingInput,
} from "./state.ts";
import { formatUtc } from "./utc-time.ts";

const claim = { claimId: "c", holderId: "h", claimedAt: START, actByAt: START + MINUTE };
const holder: Holder = {
  holderId: "h",
  kind: "worker",
  name: "w-3",
  host: "box",
  build: "1",
  leaseMs: 10 * SECOND,
  beatAt: START,
  endedAt: null,
};
const nothing: CaseSummary = {
  confirmed: 0,
  waits: [],
  reviews: [],
  unsettled: [],
  lastFailure: null,
  losses: 0,
  isRepaired: false,
  repair: null,
  stoppedBy: null,
};
const lastFailure = {
  step: "notify",
  attempt: 1,
  at: START,
  kind: "transient",
  executed: "no",
  sentence: "mail refused the connection.",
} as const;
const review = (reason: ReviewReason): Review => ({
  step: "notify",
  reason,
  sentence: "It stopped.",
  owner: "platform",
  nextCheckAllowedAt: null,
});

function read(
  state: StoredState,
  summary: Partial<CaseSummary> = {},
  over: Partial<ReadingInput> = {},
): Reading {
  return readState({
    state,
    dueAt: null,
    summary: { ...nothing, ...summary },
    claim: state === "claimed" ? claim : null,
    holder: state === "claimed" ? holder : null,
    now: START,
    ...over,
  });
}

const waits: { readonly [K in Wait["kind"]]: Extract<Wait, { kind: K }> } = {
  retry: { kind: "retry", step: "notify", dueAt: START + HOUR, attempt: 2, attemptsMax: 5, by: "backoff" },
  check: { kind: "check", step: "notify", dueAt: START + HOUR },
  probe: { kind: "probe", step: "notify", dueAt: START + HOUR, condition: "open", why: "crm is down" },
  approval: { kind: "approval", step: "approve", dueAt: null, by: "finance" },
  event: { kind: "event", step: "paid", dueAt: START + HOUR, eventType: "paid" },
  poll: {
    kind: "poll",
    step: "notify",
    dueAt: START + HOUR,
    untilAt: START + 9 * HOUR,
    destination: "erp",
    why: "it runs",
  },
  timer: { kind: "timer", step: "pause", dueAt: START + HOUR },
  child: {
    kind: "child",
    step: "ship",
    dueAt: null,
    caseId: "00-1",
    caseType: "shipment",
    needsPeople: true,
  },
  held: { kind: "held", step: "notify", dueAt: START + HOUR, destination: "erp", credentialId: "erp-1" },
  access: {
    kind: "access",
    step: "notify",
    dueAt: START + HOUR,
    destination: "erp",
    credentialId: "erp-1",
    owner: "erp-admins",
  },
};

const WAITING: Record<Wait["kind"], ReadableState> = {
  retry: "Will retry",
  check: "Outcome unknown",
  probe: "Waiting until",
  approval: "Waiting for approval",
  event: "Waiting for event",
  poll: "Waiting until",
  child: "Waiting for child",
  timer: "Waiting until",
  held: "Held back",
  access: "Needs access",
};

const REVIEWED: Record<ReviewReason, ReadableState> = {
  rejected: "Needs correction",
  denied: "Needs access",
  quota: "Needs access",
  unknown: "Outcome unknown",
  limit: "Needs review",
  conflict: "Needs review",
  gone: "Needs review",
  bug: "Needs review",
  precondition: "Needs review",
  lapsed: "Needs review",
  unreadable: "Needs review",
  poison: "Needs review",
  refused: "Needs review",
  expired: "Needs review",
  staysOutside: "Needs review",
  mayExistTwice: "Needs review",
};

describe("a claimed case", () => {
  it("reads Running only while its holder is alive", () => {
    expect(read("claimed")).toEqual({
      state: "Running",
      sentence: "w-3 (box) works on it.",
      actsNext: "w-3",
      byAt: START + MINUTE,
    });
    expect(read("claimed", {}, { now: START + 10 * SECOND }).state).toBe("Running");
  });

  it("reads Worker lost by the clock alone, without any sweep having run", () => {
    expect(read("claimed", {}, { now: START + 10 * SECOND + 1 })).toEqual({
      state: "Worker lost",
      sentence:
        "w-3 (box) has given no sign of life for longer than its lease; another worker goes on once it is freed.",
      actsNext: "the sweep",
      byAt: START + 10 * SECOND,
    });
    expect(read("claimed", {}, { holder: { ...holder, endedAt: START } }).state).toBe("Worker lost");
    expect(read("claimed", {}, { holder: null })).toMatchObject({
      state: "Worker lost",
      byAt: START + MINUTE,
    });
    expect(read("claimed", {}, { holder: null, claim: null })).toMatchObject({ byAt: null });
    expect(seemsAlive({ ...holder, endedAt: START }, START)).toBe(false);
  });

  describe("by a person's page", () => {
    const page: Holder = { ...holder, kind: "page", name: "ada", leaseMs: 5 * MINUTE };
    const repair = { name: "ada", events: 0 };

    it("reads Being repaired, by whom and until when, with what came meanwhile", () => {
      expect(read("claimed", { repair }, { holder: page })).toEqual({
        state: "Being repaired",
        sentence: "ada has it open for repair.",
        actsNext: "ada",
        byAt: START + MINUTE,
      });
      expect(read("claimed", { repair: { ...repair, events: 1 } }, { holder: page }).sentence).toBe(
        "ada has it open for repair; 1 event came meanwhile.",
      );
      expect(read("claimed", {}, { holder: page })).toMatchObject({
        state: "Being repaired",
        actsNext: "ada",
      });
    });

    it("does not read as a lost worker when the page is gone: the sweep ends the repair", () => {
      const gone = { ...page, endedAt: START };
      expect(read("claimed", { repair: { ...repair, events: 2 } }, { holder: gone })).toEqual({
        state: "Being repaired",
        sentence:
          "ada had it open for repair, and the page has given no sign of life since; 2 events came meanwhile; the sweep ends the repair.",
        actsNext: "the sweep",
        byAt: START + MINUTE,
      });
      expect(read("claimed", { repair }, { holder: null })).toMatchObject({ byAt: START + MINUTE });
      expect(read("claimed", { repair }, { holder: null, claim: null })).toMatchObject({ byAt: null });
    });
  });
});

describe("a waiting case", () => {
  it.each(Object.values(waits))("says what it waits for, who acts next and by when: $kind", (wait) => {
    const reading = read("waiting", { waits: [wait] });
    expect(reading.state).toBe(WAITING[wait.kind]);
    // Nobody knows when access is restored; the engine's own look is a net under the word that it is.
    expect(reading.byAt).toBe(wait.kind === "access" ? null : wait.dueAt);
    expect(reading.sentence).toContain(wait.step);
    expect(reading.actsNext).not.toBe("");
  });

  it("tells what failed and who set the time of the next try", () => {
    expect(read("waiting", { waits: [waits.retry], lastFailure }).sentence).toBe(
      "notify is tried again (attempt 2 of 5). mail refused the connection.",
    );
    const asked: Wait = { ...waits.retry, by: "provider" };
    const other = { ...lastFailure, step: "create" };
    expect(read("waiting", { waits: [asked], lastFailure: other }).sentence).toBe(
      "notify is tried again at the time that the destination named (attempt 2 of 5).",
    );
  });

  describe("that is held back", () => {
    const calm: DestinationReading = {
      downSinceAt: null,
      notBeforeAt: null,
      notBeforeBy: null,
      denial: null,
      waiting: 0,
    };
    const told = (known: Partial<DestinationReading>, wait: Wait = waits.held): Reading =>
      read(
        "waiting",
        { waits: [wait] },
        { dueAt: START + MINUTE, destinations: new Map([["erp erp-1", { ...calm, ...known }]]) },
      );

    it("says since when the destination is down, how many wait, and when the next check is allowed", () => {
      expect(
        told({ downSinceAt: START, notBeforeAt: START + SECOND, notBeforeBy: "probe", waiting: 37 }),
      ).toEqual({
        state: "Held back",
        sentence:
          `notify waits: erp is down since ${formatUtc(START)}; 37 cases wait; ` +
          `next check allowed at ${formatUtc(START + SECOND)}.`,
        actsNext: "the engine",
        byAt: START + MINUTE,
      });
    });

    it("says what else holds it back", () => {
      const until = { notBeforeAt: START + SECOND };
      expect(told({ ...until, notBeforeBy: "throttled", waiting: 1 }).sentence).toBe(
        `notify waits: erp asked to slow down; 1 case waits; next check allowed at ${formatUtc(START + SECOND)}.`,
      );
      expect(told({ ...until, notBeforeBy: "quota" }).sentence).toBe(
        `notify waits: the quota of erp-1 at erp is used up; next check allowed at ${formatUtc(START + SECOND)}.`,
      );
      expect(told({ notBeforeBy: "probe" }).sentence).toBe(told({}).sentence);
      expect(told({}).sentence).toBe("notify waits: erp is sent no more at a time now.");
    });

    it("says since when access is refused, and by what", () => {
      const denial = { cause: "denied", sinceAt: START, sentence: "erp answered 401." } as const;
      expect(told({ denial, waiting: 99 }, waits.access)).toEqual({
        state: "Needs access",
        sentence:
          `notify waits for access to erp: erp-1 was refused access since ${formatUtc(START)}; 99 cases wait. ` +
          "erp answered 401.",
        actsNext: "erp-admins",
        byAt: null,
      });
      expect(told({ denial: { ...denial, cause: "quota" } }, waits.access).sentence).toContain(
        "erp-1 has used up its quota since",
      );
      expect(told({}, waits.access).sentence).toBe(read("waiting", { waits: [waits.access] }).sentence);
    });

    it("says when it is tried once more, where the step itself was told when its quota is there again", () => {
      const usedUp = {
        step: "notify",
        attempt: 1,
        at: START,
        kind: "quota",
        executed: "no",
        sentence: "erp: the plan is used up.",
      } as const;
      expect(read("waiting", { waits: [waits.access], lastFailure: usedUp })).toEqual({
        state: "Needs access",
        sentence:
          "notify waits for a higher quota, or for its reset: it is tried once more at " +
          `${formatUtc(START + HOUR)}. erp: the plan is used up.`,
        actsNext: "erp-admins",
        byAt: START + HOUR,
      });
      const other = { ...usedUp, step: "pay" };
      expect(read("waiting", { waits: [waits.access], lastFailure: other }).byAt).toBeNull();
    });
  });

  it("shows the wait that ends first, and one without an end last", () => {
    const soon: Wait = { ...waits.timer, dueAt: START + 1 };
    expect(read("waiting", { waits: [waits.approval, waits.event, soon, waits.approval] }).byAt).toBe(
      START + 1,
    );
    expect(read("waiting", { waits: [waits.approval] }).state).toBe("Waiting for approval");
  });

  it("does not let a person be overlooked while another branch goes on", () => {
    const both = { waits: [waits.retry], reviews: [review("rejected")] };
    expect(read("waiting", both)).toMatchObject({ state: "Needs correction", actsNext: "platform" });
  });
});

describe("a case in review", () => {
  it.each(Object.keys(REVIEWED) as readonly ReviewReason[])("says what it needs of whom: %s", (reason) => {
    expect(read("in_review", { reviews: [review(reason)] })).toEqual({
      state: REVIEWED[reason],
      sentence: "It stopped.",
      actsNext: "platform",
      byAt: null,
    });
  });
});

describe("a ready case", () => {
  it("waits for a free worker", () => {
    expect(read("ready", {}, { dueAt: START })).toEqual({
      state: "Waiting until",
      sentence: "It is due and waits for a free worker.",
      actsNext: "the next free worker",
      byAt: START,
    });
  });

  it("that was started for later says when it begins", () => {
    expect(read("ready", {}, { dueAt: START + HOUR })).toMatchObject({
      state: "Waiting until",
      sentence: "It begins at its time.",
      actsNext: "the engine",
      byAt: START + HOUR,
    });
  });

  it("says that its worker was lost, before anything else", () => {
    const lost = { losses: 1, unsettled: ["notify"], reviews: [review("limit")] };
    expect(read("ready", lost).sentence).toBe("Its worker was lost once; another one goes on.");
    expect(read("ready", { losses: 2 }).sentence).toBe(
      "Its worker was lost 2 times in a row; another one goes on.",
    );
    expect(read("ready", { losses: 1 }).state).toBe("Worker lost");
  });

  it("still shows a review that a fact has not closed", () => {
    expect(read("ready", { reviews: [review("rejected")] }).state).toBe("Needs correction");
  });

  it("says that an outcome is not known, and that a failed step is tried again", () => {
    expect(read("ready", { unsettled: ["notify"], lastFailure }).state).toBe("Outcome unknown");
    expect(read("ready", { lastFailure })).toMatchObject({
      state: "Will retry",
      sentence: "notify is tried again. mail refused the connection.",
    });
  });
});

describe("a stopped or ended case", () => {
  it("says who paused it and until when, and is due like any other once that has passed", () => {
    const stoppedBy = { name: "ada", reason: "audit", untilAt: START + HOUR };
    expect(read("paused", { stoppedBy }, { dueAt: START + HOUR })).toEqual({
      state: "Paused",
      sentence: "Paused by ada (audit).",
      actsNext: "ada",
      byAt: START + HOUR,
    });
    expect(read("paused", { stoppedBy }, { dueAt: START })).toMatchObject({ state: "Waiting until" });
    expect(read("paused")).toMatchObject({
      sentence: "Paused by a person.",
      actsNext: "a person",
      byAt: null,
    });
  });

  it("is done, with or without help, or canceled, and nobody acts next", () => {
    expect(read("done")).toEqual({
      state: "Done",
      sentence: "Every step is confirmed.",
      actsNext: "nobody",
      byAt: null,
    });
    expect(read("done", { isRepaired: true }).state).toBe("Done after repair");
    const stoppedBy = { name: "ada", reason: null, untilAt: null };
    expect(read("canceled", { stoppedBy })).toMatchObject({
      state: "Canceled",
      sentence: "Canceled by ada.",
    });
  });

  it("with an open review says so, and who acts next", () => {
    expect(read("done", { reviews: [review("mayExistTwice")] })).toEqual({
      state: "Done",
      sentence: "Every step is confirmed. It stopped.",
      actsNext: "platform",
      byAt: null,
    });
  });
});

describe("a case that its key holds back", () => {
  const held = { heldSinceAt: START - MINUTE, dueAt: START + MINUTE };
  const keyed = { concurrencyKey: "c-7" };
  const worked: KeyHolder = { caseId: "07-a", untilEnd: null };
  const kept: KeyHolder = { caseId: "07-b", untilEnd: { state: "Needs review", actsNext: "finance" } };
  const running: KeyHolder = { caseId: "07-c", untilEnd: { state: "Running", actsNext: "w-3" } };

  it.each<readonly [string, KeyStanding | undefined, string, string]>([
    ["nothing is known of", undefined, "It waits for its turn among the cases of c-7.", "the engine"],
    [
      "is free again",
      { limit: 1, waiting: 1, holders: [] },
      "It waits for its turn among the cases of c-7.",
      "the engine",
    ],
    [
      "is worked on",
      { limit: 1, waiting: 1, holders: [worked] },
      "It waits for its turn: 1 of 1 place of c-7 taken, by case 07-a, which is worked on; 1 case waits.",
      "case 07-a",
    ],
    [
      "waits for people until it ends",
      { limit: 2, waiting: 3, holders: [running, kept] },
      "It waits for its turn: 2 of 2 places of c-7 taken, by case 07-c until it ends (Running; next: w-3); " +
        "case 07-b until it ends (Needs review; next: finance); 3 cases wait.",
      "finance",
    ],
    [
      "has many",
      { limit: 5, waiting: 0, holders: [worked, running, worked, kept, worked] },
      "It waits for its turn: 5 of 5 places of c-7 taken, by case 07-a, which is worked on; " +
        "case 07-c until it ends (Running; next: w-3); case 07-a, which is worked on; 2 more.",
      "finance",
    ],
  ])("says who has the place that %s", (_, key, sentence, actsNext) => {
    const reading = read("ready", keyed, { ...held, ...(key === undefined ? {} : { key }) });
    expect(reading).toEqual({ state: "Held back", sentence, actsNext, byAt: START + MINUTE });
  });

  it("is read so whatever it rested for, but its open review goes first", () => {
    expect(read("waiting", keyed, held).state).toBe("Held back");
    const paused = read("paused", {}, held);
    expect(paused.state).toBe("Held back");
    expect(paused.sentence).toContain("its key");
    expect(read("ready", { ...keyed, reviews: [review("rejected")] }, held).state).toBe("Needs correction");
  });

  it("waits for a free worker once it is called, and as any other where it is not due", () => {
    expect(read("ready", keyed, { ...held, dueAt: START - MINUTE }).state).toBe("Waiting until");
    expect(read("in_review", keyed, { heldSinceAt: START, dueAt: null }).state).toBe("Waiting until");
  });
});
