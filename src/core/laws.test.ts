import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  destination,
  fact,
  HOUR,
  ledger,
  MINUTE,
  outlineOf,
  probe,
  retry,
  SECOND,
  START,
} from "./case.fixture.ts";
import { stepOf } from "./case-state.ts";
import { foldEntries, foldJournal } from "./fold.ts";
import type { JsonObject } from "./json.ts";
import type { CaseOutline, DestinationOutline, RepeatSafety, SendStepOutline } from "./outline.ts";
import { planCase } from "./plan.ts";
import type { PlanInput } from "./planning.ts";
import { needsCheck } from "./repeat-safety.ts";
import { isClaimable, rowOf } from "./row.ts";
import { undoName } from "./undo.ts";
import { Walk, type Luck } from "./walk.fixture.ts";
import { FATES } from "./world.fixture.ts";

const brief = destination({
  repeatSafety: { by: "key", windowMs: 3 * MINUTE },
  readLagMs: 5 * SECOND,
  requestAgeMs: MINUTE,
});
const slow = destination({ name: "slow", requestAgeMs: 2 * MINUTE, retry: { ...retry, maxAttempts: 2 } });
const blind = destination({ name: "mail", repeatSafety: { by: "none" } });

const comparing = (by: Exclude<RepeatSafety["by"], "key">): DestinationOutline =>
  destination({ name: by, repeatSafety: { by }, readLagMs: 5 * SECOND, requestAgeMs: MINUTE });
const version = probe("version", { freshForMs: 10 * SECOND });

const send = (name: string, to: DestinationOutline, over: Partial<SendStepOutline> = {}) =>
  ({
    kind: "step",
    name,
    destination: to,
    uses: [name],
    ...(needsCheck(to.repeatSafety) ? { hasCheck: true } : {}),
    ...(to.repeatSafety.by === "if-match" ? { before: [version], versionCondition: version.name } : {}),
    ...over,
  }) as const;

/** A step that is taken back before it is done again. */
const undoable = (name: string, to: DestinationOutline, over: Partial<SendStepOutline> = {}) => {
  const [undo] = outlineOf({ ...send(name, to, over), after: [], uses: [] }).steps;
  if (undo?.kind !== "step") throw new Error("an undo is a step that sends");
  return { ...send(name, to, over), onLapse: "undo", undo: { ...undo, name: undoName(name) } } as const;
};

/** Every outline can come to its end: whatever is unknown can be asked. */
const askable: readonly CaseOutline[] = [
  outlineOf(
    { kind: "approval", name: "approve", uses: ["approve"] },
    { ...send("create", brief, { hasCheck: true }), requires: [fact("stillApproved")] },
    { ...send("book", ledger, { hasCheck: true }), before: [probe("inBudget")] },
    { kind: "sleep", name: "pause", uses: [] },
    { kind: "waitForEvent", name: "paid", uses: [] },
    send("constructor", slow, { hasCheck: true }),
  ),
  outlineOf(
    { ...send("a", ledger, { hasCheck: true }), requires: [probe("aHolds", { freshForMs: 10 * SECOND })] },
    send("b", brief, { after: ["a"], hasCheck: true }),
    { ...send("c", slow, { after: ["a"], hasCheck: true }), requires: [probe("cHolds"), fact("fits")] },
    { kind: "waitForEvent", name: "first", after: ["a"], uses: [] },
    { kind: "waitForEvent", name: "second", after: ["a"], uses: [], requires: [fact("fits")] },
    send("d", ledger, { after: ["b", "c", "first", "second"], hasCheck: true }),
  ),
];

/** Destinations of every kind, and confirmations that lapse and are rechecked, redone or undone. */
const lapsing: readonly CaseOutline[] = [
  outlineOf(
    undoable("named", comparing("unique")),
    send("written", comparing("if-match"), {
      onLapse: "redo",
      when: [fact("fits")],
      requires: [fact("fits")],
    }),
    undoable("fenced", comparing("fence")),
    send("stored", comparing("transaction"), { onLapse: "redo" }),
    send("asked", brief, { onLapse: "recheck", hasCheck: true }),
  ),
  outlineOf(
    undoable("written", comparing("if-match"), { after: [] }),
    send("named", comparing("unique"), { after: [], onLapse: "redo" }),
    undoable("stored", comparing("transaction"), { after: ["written"] }),
    send("fenced", comparing("fence"), { after: ["named"], onLapse: "recheck", requires: [probe("cHolds")] }),
    undoable("a", ledger, { after: ["stored", "fenced"], hasCheck: true }),
  ),
];

/** Here a person may be left with what nobody can tell. */
const blindOnes: readonly CaseOutline[] = [
  outlineOf(
    send("create", brief),
    { ...send("inferred", slow), hasRequest: false },
    { ...send("mail", blind), requires: [fact("stillApproved")] },
  ),
  outlineOf(
    send("a", blind, { after: [] }),
    send("b", ledger, { after: [], hasCheck: true }),
    { kind: "approval", name: "approve", after: ["a"], expiresMs: null },
    send("c", slow, { after: ["approve", "b"] }),
  ),
];

/** One thing that happens; what it means depends on where the case stands. */
interface Happening {
  readonly kind: keyof typeof KINDS;
  readonly pick: number;
  readonly random: number;
}

/** How often each kind of thing happens, of the sum of all. */
const KINDS = {
  work: 30,
  land: 18,
  crash: 6,
  crashBeforeSend: 2,
  late: 5,
  seconds: 4,
  minutes: 4,
  hours: 1,
  due: 16,
  event: 7,
  approve: 8,
  refuse: 1,
  condition: 3,
  resume: 8,
  resumeStep: 3,
  correct: 3,
  pause: 1,
  redo: 1,
  others: 1,
} as const;

const happenings = fc.array(
  fc.record<Happening>({
    kind: fc.oneof(
      ...Object.entries(KINDS).map(([kind, weight]) => ({
        weight,
        arbitrary: fc.constant(kind as keyof typeof KINDS),
      })),
    ),
    pick: fc.nat({ max: 999 }),
    random: fc.constantFrom(0, 0.5, 0.999),
  }),
  { maxLength: 150, size: "max" },
);

function happen(walk: Walk, { kind, pick, random }: Happening): void {
  const { steps } = walk.outline;
  const step = steps[pick % steps.length]?.name ?? "";
  switch (kind) {
    case "work":
      walk.claim();
      return walk.work(luckOf(pick, random));
    case "land":
      return walk.land(random);
    case "crash":
      return walk.loseClaim(true);
    case "crashBeforeSend":
      return walk.loseClaim(false);
    case "late":
      return walk.reportLate();
    case "seconds":
      return walk.pass((1 + (pick % 59)) * SECOND);
    case "minutes":
      return walk.pass((1 + (pick % 30)) * MINUTE);
    case "hours":
      return walk.pass((1 + (pick % 30)) * HOUR);
    case "due":
      return walk.pass(Math.max(0, (rowOf(walk.state).dueAt ?? walk.now) - walk.now));
    case "event":
      return walk.event("paid");
    case "approve":
      return walk.approve("approve", true);
    case "refuse":
      return walk.approve("approve", false);
    case "condition": {
      const names = ["stillApproved", "inBudget", "aHolds", "cHolds", "fits"];
      const kinds = ["holds", "broken", "cannotTell"] as const;
      return walk.turn(names[pick % names.length] ?? "", kinds[pick % kinds.length] ?? "holds");
    }
    case "resume":
      walk.resume(null);
      return;
    case "resumeStep":
      walk.resume(step);
      return;
    case "correct":
      return walk.correct({ [step]: pick % 4 === 0 ? -1 : pick });
    case "pause":
      return walk.pause(pick % 2 === 0 ? null : walk.now + MINUTE);
    case "redo":
      return walk.orderRedo(step);
    case "others":
      return walk.world.changeByOthers(step);
  }
}

function luckOf(pick: number, random: number): Luck {
  // Half of all sends meet no fault, so that walks get somewhere.
  const fate = pick % 2 === 0 ? "ok" : (FATES[(pick >> 1) % FATES.length] ?? "ok");
  return { fate, isVague: pick % 7 === 0, random };
}

const firstInput: JsonObject = {
  approve: 1,
  create: -1,
  book: 2,
  a: 3,
  b: 4,
  c: -5,
  d: 6,
  constructor: 7,
  mail: 8,
  named: 9,
  written: -10,
  fenced: 11,
  stored: -12,
  asked: 13,
};

function walkThrough(outline: CaseOutline, all: readonly Happening[]): Walk {
  const walk = new Walk(outline, firstInput, START);
  for (const one of all) happen(walk, one);
  return walk;
}

/** From here on nothing fails and people do what they are asked, until the case is done or long enough has passed. */
function bringToEnd(walk: Walk): void {
  walk.loseClaim(true);
  walk.world.conditions.clear();
  walk.event("told");
  walk.zombies = [];
  // A late report opens a review of a case that is done, too.
  const isOver = (): boolean =>
    walk.state.rest.kind === "done" && rowOf(walk.state).summary.reviews.length === 0;
  for (let turns = 0; turns < 200 && !isOver(); turns += 1) {
    walk.claim();
    if (walk.claimId !== null) {
      for (let sends = 0; sends < 50 && walk.claimId !== null; sends += 1) {
        walk.work({ fate: "ok", isVague: false, random: 0 });
        walk.land(0);
      }
      continue;
    }
    for (const { step, act } of walk.plan().steps) {
      if (act.kind === "wait" && act.wait.kind === "approval") walk.approve(step.name, true);
      if (act.kind === "wait" && act.wait.kind === "event") walk.event("paid");
    }
    if (isClaimable(rowOf(walk.state), walk.now)) continue;
    const { dueAt, summary } = rowOf(walk.state);
    if (summary.reviews.length > 0 || walk.state.rest.kind === "paused") helpOut(walk);
    else walk.pass(Math.max(0, (dueAt ?? walk.now) - walk.now));
  }
}

/**
 * What a person does about reviews: sets right what was refused or taken, gives back what confirmations rested on, has done again
 * what rests on a result that is another one now, and resumes.
 */
function helpOut(walk: Walk): void {
  for (const { step, reason } of rowOf(walk.state).summary.reviews) {
    // What is ordered anew where names are unique needs another name, as what was rejected needs other content.
    if (reason === "rejected" || reason === "conflict") walk.correct({ [step]: walk.journal.length });
    if (reason !== "lapsed") continue;
    const fields = confirmedFields(walk);
    const input = walk.state.input as JsonObject;
    if (Object.entries(fields).some(([name, value]) => input[name] !== value)) walk.correct(fields);
    else walk.orderRedo(step);
  }
  walk.resume(null);
}

/** The fields of the input that each confirmed send step took effect with. */
function confirmedFields(walk: Walk): JsonObject {
  const fields: Record<string, number> = {};
  for (const { name } of walk.outline.steps) {
    const { confirmation, intent } = stepOf(walk.state, name);
    const value: unknown = confirmation === null ? null : JSON.parse(intent?.request ?? "null");
    if (typeof value !== "object" || value === null || !("value" in value)) continue;
    if (typeof value.value === "number") fields[name] = value.value;
  }
  return fields;
}

/** For a busy machine; a few seconds suffice. */
const TIME_MS_MAX = 120_000;

const anyOutline = fc.constantFrom(...askable, ...lapsing, ...blindOnes);

describe("whatever happens to a case", () => {
  // The walk throws as soon as a law is broken.
  it(
    "no law is broken: one effect a step, nothing rejected sent again, every try within bounds",
    () => {
      fc.assert(
        fc.property(anyOutline, happenings, (outline, all) => {
          expect(() => walkThrough(outline, all)).not.toThrow();
        }),
        { numRuns: 1_200 },
      );
    },
    TIME_MS_MAX,
  );

  it(
    "the end is done once nothing fails any more and people do what they are asked",
    () => {
      fc.assert(
        fc.property(fc.constantFrom(...askable, ...lapsing), happenings, (outline, all) => {
          const walk = walkThrough(
            outline,
            // A result that cannot be stored leaves what follows without it, for good.
            all.filter(({ kind, pick }) => kind !== "work" || luckOf(pick, 0).fate !== "unreadable"),
          );
          bringToEnd(walk);
          expect(rowOf(walk.state)).toMatchObject({ state: "done", summary: { reviews: [], unsettled: [] } });
        }),
        { numRuns: 600 },
      );
    },
    TIME_MS_MAX,
  );

  it(
    "folding a journal in any parts gives the state that folding it whole gives",
    () => {
      fc.assert(
        fc.property(anyOutline, happenings, fc.nat(), (outline, all, cut) => {
          const { journal, state } = walkThrough(outline, all);
          const first = 1 + (cut % journal.length);
          const inTwo = foldEntries(foldJournal("case-1", journal.slice(0, first)), journal.slice(first));
          expect(foldJournal("case-1", journal)).toEqual(state);
          expect(inTwo).toEqual(state);
          expect(journal.map(({ revision }) => revision)).toEqual(journal.map((_, index) => index + 1));
        }),
        { numRuns: 150 },
      );
    },
    TIME_MS_MAX,
  );

  it(
    "the plan depends on nothing but its arguments, and changes none of them",
    () => {
      fc.assert(
        fc.property(anyOutline, happenings, (outline, all) => {
          const input = walkThrough(outline, all).planInput();
          const plan = planCase(deepFrozen(input));
          expect(planCase(input)).toEqual(plan);
          const reordered: PlanInput = {
            ...input,
            outline: reversed(input.outline),
            state: reversed(input.state),
            answers: new Map([...input.answers].toReversed()),
          };
          expect(planCase(reordered)).toEqual(plan);
        }),
        { numRuns: 150 },
      );
    },
    TIME_MS_MAX,
  );
});

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) deepFrozen(field);
  }
  return value;
}

/** The same value with the fields of every object in the opposite order. */
function reversed<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => reversed(item)) as Value;
  const fields = Object.entries(value).map(
    ([key, field]: [string, unknown]) => [key, reversed(field)] as const,
  );
  return Object.fromEntries(fields.toReversed()) as Value;
}
