/**
 * A pocket engine for one case: claims, turns, losses, late reports, people and time, all in memory and all chosen from
 * outside. It does what the real engine does between two commits, and complains as soon as a law is broken.
 */

import { digest, numbered, person, retry, started, worker } from "./case.fixture.ts";
import { basisOf } from "./basis.ts";
import { isUnproved, stepOf, type CaseState, type Intent } from "./case-state.ts";
import {
  decideAfterAttempt,
  decideAfterCheck,
  decideAfterProbe,
  decideOpenAttempt,
  fingerprintOf,
  nextFencingToken,
  unknownEffect,
  type CheckedEffect,
} from "./decide.ts";
import { foldEntries, foldJournal } from "./fold.ts";
import type { ConditionAnswer, Entry, JournalEntry } from "./journal.ts";
import type { Wait } from "./waits.ts";
import type { Json, JsonObject } from "./json.ts";
import { decideLateReport } from "./late.ts";
import { decideApproval, decideCorrection, decideEvent, decidePause, decideResume } from "./moves.ts";
import type { MoveVerdict } from "./moves.ts";
import type { CaseOutline, SendStepOutline, StepOutline } from "./outline.ts";
import { LOSSES_MAX } from "./plan-send.ts";
import { planCase, type Plan } from "./plan.ts";
import { answerKey, type Act, type FreshAnswer, type PlanInput, type PlannedStep } from "./planning.ts";
import { isClaimable, rowOf } from "./row.ts";
import { isSettled } from "./settled.ts";
import { Tally } from "./tally.fixture.ts";
import { findStep, undoneStep, undoRequest } from "./undo.ts";
import { isOurs, World, type Fate, type Flight } from "./world.fixture.ts";

/** Turns in one claim without anything landing: more means that the plan never comes to rest. */
const TURNS_MAX = 300;

/** How the world treats what the walk asks of it next. */
export interface Luck {
  readonly fate: Fate;
  /** True = questions are answered "cannot tell". */
  readonly isVague: boolean;
  readonly random: number;
}

/** A law that was broken. */
class LawBroken extends Error {}

/** One case on its way. */
export class Walk {
  readonly outline: CaseOutline;
  readonly world: World = new World();
  readonly journal: JournalEntry[] = [];
  state: CaseState;
  now: number;
  claimId: string | null = null;
  /** Sends under the present claim. */
  flights: Flight[] = [];
  /** Sends whose outcome nobody waits for any more; they may still be reported. */
  zombies: Flight[] = [];
  readonly #tally = new Tally();
  /** Steps that a person ordered to be done again: beside what they did before, whatever their policy. */
  readonly #ordered = new Set<string>();
  /** What undo steps were confirmed to have taken back. */
  readonly #takenBack = new Set<string>();
  #claims = 0;
  #facts = 0;

  constructor(outline: CaseOutline, input: Json, now: number) {
    this.outline = outline;
    this.now = now;
    this.journal.push(...numbered([started(input)], { from: 1, at: now }));
    this.state = foldJournal("case-1", this.journal);
  }

  pass(ms: number): void {
    this.now += ms;
    this.world.passTo(this.now);
  }

  plan(): Plan {
    const plan = planCase(this.planInput());
    for (const planned of plan.steps) this.#keepStanding(planned);
    const events = plan.steps.flatMap(({ act }) =>
      act.kind === "confirm" && act.entry.by.how === "event" ? [act.entry.by.sourceId] : [],
    );
    require(new Set(events).size === events.length, "one event is to confirm two steps");
    return plan;
  }

  planInput(): PlanInput {
    const busy = new Set(this.flights.map(({ ref }) => ref.step));
    const answers = new Map<string, FreshAnswer>();
    for (const step of this.outline.steps) {
      for (const { name } of conditionsOf(step)) {
        answers.set(answerKey(step.name, name), { answer: this.#ask(name), askedAt: this.now });
      }
    }
    return { outline: this.outline, state: this.state, answers, busy, now: this.now, digest };
  }

  /** Claims the case if it may be claimed now. */
  claim(): void {
    if (this.claimId !== null || !isClaimable(rowOf(this.state), this.now)) return;
    this.#claims += 1;
    this.claimId = `claim-${this.#claims}`;
  }

  /** Works until something is under way or the claim ends. */
  work(luck: Luck): void {
    for (let turns = 0; this.claimId !== null; turns += 1) {
      require(turns < TURNS_MAX, "the plan never comes to rest");
      if (this.#turn(this.claimId, luck) === "waits") return;
    }
  }

  /** The outcome of the oldest send under way arrives. */
  land(random: number): void {
    const [flight, ...others] = this.flights;
    if (flight === undefined) return;
    if (flight.outcome.kind === "succeeded" && flight.executesAt !== null && flight.executesAt > this.now) {
      this.pass(flight.executesAt - this.now);
    }
    this.flights = others;
    const told = this.world.outcomeOf(flight);
    if (told.kind === "succeeded" && isOurs(flight.step)) this.world.commit(flight, this.now);
    this.append(decideAfterAttempt(flight.step, this.state, flight.ref, told, this.now, random));
    if (flight.outcome.kind === "failed" && flight.executesAt !== null) this.zombies.push(flight);
  }

  /** The worker dies, or its lease runs out. `hasSent` = what it was about to send did leave. */
  loseClaim(hasSent: boolean): void {
    const { claimId } = this;
    if (claimId === null) return;
    for (const flight of this.flights) if (!hasSent) this.world.drop(flight);
    // What waits in a transaction is rolled back with its holder: there is nothing to report.
    this.zombies.push(...this.flights.filter((one) => hasSent && !isOurs(one.step)));
    const openAttempts = this.flights.map(({ ref }) => ref);
    this.flights = [];
    this.claimId = null;
    if (openAttempts.length === 0) return;
    const names = { holderId: "holder-1", holderName: "w-1" };
    this.append({ kind: "claimLost", claimId, ...names, why: "silent", openAttempts });
  }

  /** A worker that had lost its claim, or had given up on a send, tells how it ended. */
  reportLate(): void {
    // A worker can also learn late what it has given up on, before its own commit is in.
    const overdue = this.flights.find(
      ({ outcome }) => outcome.kind === "failed" && outcome.failure.executed !== "no",
    );
    const flight = this.zombies.shift() ?? overdue;
    if (flight === undefined) return;
    if (flight.executesAt !== null && flight.executesAt > this.now) return;
    const { ref, claimId, key } = flight;
    const result = { kind: "value", value: { key } } as const;
    const outcome =
      flight.executesAt === null || this.world.wasRefused(flight)
        ? this.world.outcomeOf(flight)
        : { kind: "succeeded" as const, result, evidence: null };
    const report = { ref, claimId, holder: worker, outcome };
    this.append(...decideLateReport(this.outline, this.state, report));
  }

  event(eventType: string, sourceId: string = this.#nextSource()): void {
    this.#move(
      decideEvent(this.state, this.#held(), { eventType, sourceId, payload: { sourceId }, by: person }),
    );
  }

  /** Something that a fact or a probe asks about changes; an event tells, so that facts stay functions of the journal. */
  turn(condition: string, kind: "holds" | "broken" | "cannotTell"): void {
    this.world.conditions.set(condition, kind === "holds" ? { kind } : { kind, why: "the world says so" });
    this.event("told");
  }

  approve(step: string, approved: boolean): void {
    const answer = { step, approved, form: null, note: null, sourceId: this.#nextSource(), by: person };
    this.#move(decideApproval(this.planInput(), this.#held(), answer));
  }

  resume(step: string | null): MoveVerdict {
    const request = { step, by: person, reason: null };
    const verdict = decideResume(this.planInput(), this.#held(), request, (one) => this.#fingerprint(one));
    this.#move(verdict);
    return verdict;
  }

  correct(fields: JsonObject): void {
    const input = { ...(this.state.input as JsonObject), ...fields };
    this.#move(decideCorrection(this.state, this.#held(), { input, by: person, reason: "walk" }));
  }

  /** A person orders a step that was confirmed to be done again. */
  orderRedo(step: string): void {
    const { rest } = this.state;
    const isOpen = rest.kind !== "done" && rest.kind !== "canceled";
    if (this.claimId !== null || !isOpen || stepOf(this.state, step).confirmation === null) return;
    if (findStep(this.outline, step)?.kind !== "step") return;
    this.#ordered.add(step);
    this.append({ kind: "redoOrdered", step, by: person, reason: "walk" });
  }

  pause(untilAt: number | null): void {
    this.#move(decidePause(this.state, this.#held(), { by: person, reason: null, untilAt }));
  }

  append(...entries: readonly Entry[]): void {
    for (const entry of entries) this.#keepLaws(entry);
    const added = numbered(entries, { from: this.state.revision + 1, at: this.now });
    for (const entry of entries) this.#tally.count(entry);
    this.journal.push(...added);
    this.state = foldEntries(this.state, added);
  }

  /** One plan and what it calls for. */
  #turn(claimId: string, luck: Luck): "on" | "waits" {
    const plan = this.plan();
    const { cancelRequest, pauseRequest } = this.state;
    if (plan.halt === "cancel" && cancelRequest !== null) {
      return this.#release({ kind: "canceled", by: cancelRequest.by, reason: cancelRequest.reason });
    }
    if (plan.halt === "pause" && pauseRequest !== null)
      return this.#release({ kind: "paused", ...pauseRequest });
    const found = whatIsFound(plan);
    if (found.length > 0) {
      this.append(...found);
      return "on";
    }
    for (const { target, act } of plan.steps) {
      if (act.kind === "ask") return this.#askProbes(target, act.conditions, luck);
      if (act.kind === "check" && target.kind === "step") return this.#check(target, act.about, luck);
      if (act.kind === "send" && target.kind === "step") return this.#send(claimId, target, luck);
    }
    if (this.flights.length > 0) return "waits";
    if (plan.isComplete) return this.#release({ kind: "caseDone" });
    return this.#park(plan);
  }

  #send(claimId: string, step: SendStepOutline, { fate }: Luck): "on" {
    const { outline, state, now } = this;
    const request = this.#request(step);
    const opened = decideOpenAttempt({
      outline,
      step,
      state,
      request,
      claimId,
      holder: worker,
      now,
      digest,
    });
    if (opened.kind === "refused") {
      this.append({ kind: "reviewOpened", review: opened.review });
      return "on";
    }
    this.append(...opened.entries);
    const { intent } = stepOf(this.state, step.name);
    const attempt = intent?.attempts.at(-1);
    if (intent === null || attempt === undefined) throw new LawBroken("an attempt was not committed");
    require(intent.request === null ||
      !stepOf(state, step.name).rejected.includes(
        intent.fingerprint,
      ), `a rejected request of ${step.name} is sent again`);
    const ref = { step: step.name, intentVersion: intent.version, attempt: attempt.number };
    const what = {
      ref,
      claimId,
      step,
      key: intent.idempotencyKey,
      request: JSON.parse(intent.request ?? "null") as Json,
      fingerprint: intent.fingerprint,
      fencingToken: attempt.fencingToken,
      version: attempt.version,
      ...this.#thingOf(step, intent.request),
    };
    this.flights.push(this.world.send(what, fate, now, attempt.sendDeadlineAt));
    return "on";
  }

  #check(step: SendStepOutline, about: Extract<Act, { kind: "check" }>["about"], luck: Luck): "on" {
    const { intent } = stepOf(this.state, step.name);
    if (intent === null) throw new LawBroken("a check without an intent");
    const fencingToken = nextFencingToken(this.state, this.now);
    const effect =
      about === "outcome" ? unknownEffect(step, this.state, intent, digest) : this.#wantedNow(step, intent);
    const thing = this.#thingOf(step, about === "outcome" ? intent.request : null);
    const answer = luck.isVague
      ? ({ kind: "cannotTell", why: "it is down" } as const)
      : this.world.look({ step, key: intent.idempotencyKey, fencingToken, ...thing }, this.now);
    const raised = step.destination.repeatSafety.by === "fence" ? { raisedTo: fencingToken } : {};
    const asked = { askedAt: this.now, answeredAt: this.now, ...raised };
    this.append(decideAfterCheck(step, this.state, effect, answer, asked, luck.random));
    return "on";
  }

  #wantedNow(step: SendStepOutline, intent: Intent): CheckedEffect {
    const { outline, state } = this;
    const basis = basisOf(step, state, digest);
    return {
      intent,
      basis,
      fingerprint: fingerprintOf({ outline, step, state, request: this.#request(step), digest }),
      isAskedAsSent: true,
    };
  }

  /** What a request is about. Where names are unique, a step that is done again makes another thing. */
  #thingOf(
    step: SendStepOutline,
    request: string | null,
  ): { readonly name: string; readonly isUndo: boolean } {
    const undone = undoneStep(this.outline, step.name);
    const isMany = step.destination.repeatSafety.by === "unique" && step.onLapse === "redo";
    const name = undone?.name ?? step.name;
    return { name: isMany ? `${name} ${request ?? ""}` : name, isUndo: undone !== null };
  }

  #askProbes(step: StepOutline, names: readonly string[], { isVague, random }: Luck): "on" {
    for (const condition of conditionsOf(step)) {
      if (condition.kind !== "probe" || !names.includes(condition.name)) continue;
      const answer = isVague
        ? ({ kind: "cannotTell", why: "it is down" } as const)
        : this.#askProbe(step, condition.name);
      this.append(
        decideAfterProbe(step.name, condition, this.state, answer, { answeredAt: this.now }, random),
      );
    }
    return "on";
  }

  #park(plan: Plan): "waits" {
    const waits = plan.steps.flatMap(({ act }): readonly Wait[] => (act.kind === "wait" ? [act.wait] : []));
    const times = waits.flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt]));
    this.#release({ kind: "parked", waits, dueAt: times.length === 0 ? null : Math.min(...times) });
    const { state, dueAt, summary } = rowOf(this.state);
    for (const wait of waits) {
      require(wait.dueAt === null
        ? wait.kind === "approval"
        : wait.dueAt > this.now, "a wait is due already");
    }
    require(state === "waiting" ||
      summary.reviews.some(({ owner }) => owner !== ""), "an open case waits for nobody");
    require(dueAt === null || dueAt > this.now, "a parked case is due already");
    return "waits";
  }

  #release(entry: Entry): "waits" {
    this.append(entry);
    this.claimId = null;
    return "waits";
  }

  #move(verdict: MoveVerdict): void {
    if (verdict.kind === "write") this.append(...verdict.entries);
  }

  #held(): {
    claim: { claimId: string; holderId: string; claimedAt: number; actByAt: number };
    holder: null;
  } | null {
    if (this.claimId === null) return null;
    const claim = { claimId: this.claimId, holderId: "holder-1", claimedAt: this.now, actByAt: this.now };
    return { claim, holder: null };
  }

  #nextSource(): string {
    this.#facts += 1;
    return `source-${this.#facts}`;
  }

  #ask(condition: string): { kind: "holds" } | { kind: "broken" | "cannotTell"; why: string } {
    return this.world.conditions.get(condition) ?? { kind: "holds" };
  }

  #askProbe(step: StepOutline, condition: string): ConditionAnswer {
    if (step.kind !== "step" || condition !== step.versionCondition) return this.#ask(condition);
    return { kind: "holds", version: this.world.versionOf(this.#thingOf(step, null).name) };
  }

  #request(step: SendStepOutline): Json | null {
    const undone = undoneStep(this.outline, step.name);
    if (undone !== null) {
      const { confirmation } = stepOf(this.state, undone.name);
      return confirmation === null ? null : undoRequest(undone.name, confirmation);
    }
    const input = this.state.input as JsonObject;
    return step.hasRequest ? { step: step.name, value: input[step.name] ?? null } : null;
  }

  #fingerprint(step: SendStepOutline): string {
    return digest(JSON.stringify(this.#request(step)));
  }

  /** A standing step is never sent, checked or asked to be confirmed again. */
  #keepStanding({ step, standing, act }: PlannedStep): void {
    if (standing.kind !== "stands") return;
    require(act.kind === "nothing" ||
      act.kind === "review", `${step.name} stands and is planned to ${act.kind}`);
  }

  #keepLaws(entry: Entry): void {
    if (entry.kind === "intentOpened") {
      this.#keepSettled(entry.step);
      require(!this.#takenBack.has(`${entry.step} ${entry.request}`), `${entry.step} is begun a second time`);
    }
    if (entry.kind === "attemptOpened") {
      require(entry.fencingToken > this.state.fencingToken, "a fencing token did not rise");
      const step = findStep(this.outline, entry.step);
      const max = step?.kind === "step" ? step.destination.retry.maxAttempts : 0;
      require(this.#tally.tries(entry.step) < max, `${entry.step} is tried more often than allowed`);
      require(this.#tally.losses < LOSSES_MAX, "an attempt is opened after three losses in a row");
    }
    if (entry.kind === "conditionAnswered") {
      const times = this.#tally.unsure(entry.step, entry.condition);
      require(times < retry.maxAttempts, `"${entry.condition}" is asked more often than allowed`);
    }
    if (entry.kind === "stepConfirmed" && entry.intentVersion > 0) {
      this.#keepConfirmed(entry);
    }
    this.#keepOnce();
  }

  /** What is confirmed is there: under its key, or, where names are unique, as the thing that was wanted. */
  #keepConfirmed({ step, intentVersion }: Extract<Entry, { kind: "stepConfirmed" }>): void {
    const { intent } = stepOf(this.state, step);
    if (intent?.version !== intentVersion) throw new LawBroken(`${step} is confirmed without its intent`);
    const { idempotencyKey, fingerprint, request } = intent;
    const isSame = this.world.effects.some(
      (one) => one.step === step && one.fingerprint === fingerprint && !one.isUndone,
    );
    require(this.world.hasEffect(idempotencyKey) || isSame, `${step} is confirmed without an effect`);
    if (undoneStep(this.outline, step) !== null) this.#takenBack.add(`${step} ${request}`);
  }

  /** One effect a key; and one at a time of what is not to be done again beside what it did. */
  #keepOnce(): void {
    const { effects } = this.world;
    for (const { key } of effects) {
      const times = effects.filter((one) => one.key === key).length;
      require(times <= 1, `${key} took effect ${times} times`);
    }
    for (const step of this.outline.steps) {
      const { name } = step;
      if (step.kind !== "step" || step.onLapse === "redo" || this.#ordered.has(name)) continue;
      const times = effects.filter((one) => one.step === name && !one.isUndone).length;
      require(times <= 1, `${name} is there ${times} times`);
    }
  }

  /** A new intent version, and so a new key, only when nothing of the one before can have happened or happen yet. */
  #keepSettled(step: string): void {
    const { intent, confirmation } = stepOf(this.state, step);
    if (intent === null) return;
    require(isSettled(intent, confirmation), `the intent of ${step} is not settled`);
    if (intent.isUndone || confirmation?.intentVersion === intent.version) return;
    require(!intent.attempts.some(isUnproved), `the intent of ${step} has an attempt that may have happened`);
    require(!this.world.hasEffect(intent.idempotencyKey), `the old intent of ${step} has an effect`);
    const outline = findStep(this.outline, step);
    // A raised fence turns away what still arrives.
    const isShutOut = outline?.kind === "step" && outline.destination.repeatSafety.by === "fence";
    require(isShutOut ||
      !this.world.isPending(intent.idempotencyKey), `the old intent of ${step} can still take effect`);
  }
}

function whatIsFound({ shifts, steps, strays }: Plan): readonly Entry[] {
  if (shifts.length > 0) return shifts;
  for (const { act } of steps) if (act.kind === "confirm" || act.kind === "record") return [act.entry];
  return [...steps.map(({ act }) => act), ...strays].flatMap((act): readonly Entry[] =>
    act.kind === "review" && !act.isOpen ? [{ kind: "reviewOpened", review: act.review }] : [],
  );
}

function conditionsOf(step: StepOutline): StepOutline["requires"] {
  const before = step.kind === "step" ? step.before : [];
  return [...step.when, ...step.requires, ...before];
}

function require(condition: boolean, law: string): void {
  if (!condition) throw new LawBroken(law);
}
