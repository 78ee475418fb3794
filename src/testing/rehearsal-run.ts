/** One run of a rehearsed case, with the faults planned for it, and what was seen of it. */

import { FootholdError, invariant } from "../core/errors.ts";
import type { Entry } from "../core/journal.ts";
import { awaitedTypes, type CaseOutline } from "../core/outline.ts";
import { nameWithoutKey } from "../core/part-name.ts";
import type { StoredState } from "../core/row.ts";
import { findStep } from "../core/undo.ts";
import type { CaseType } from "../define/case-type.ts";
import type { StoredCase, StoredRow } from "../store/port.ts";
import type { UserCall } from "./current-call.ts";
import { journalOf, standing } from "./case-journal.ts";
import type { PlannedFault } from "./planned-fault.ts";
import { familyIn, isForPeople, prefixOf, type ObservedCase } from "./rehearsed-family.ts";
import { Stage, type Execution, type FakeRequest, type Passage, type TraceLine } from "./stage.ts";

/** An event that a rehearsed case is given. */
export interface EventToSend {
  readonly eventType: string;
  readonly payload: unknown;
  /** Sent once this step is confirmed; left out, when the case waits for an event of this type. */
  readonly after?: string;
}

/** An effect that exists at a destination. */
export interface ListedEffect {
  readonly step: string;
  /** For people. */
  readonly id?: string;
}

/** A person who corrects the input in the middle of the case, so that what rested on it lapses. */
export interface Correction {
  /** Once this step is confirmed for the first time, the case is paused, corrected and resumed. */
  readonly after: string;
  /** The whole input, as it is from then on. */
  readonly input: unknown;
}

/** How the events of a run are delivered. `caseType`, `index`: the cases and the event that it is about. */
export type Delivery =
  | { readonly kind: "inOrder" }
  /** Twice at once, and once more at the end. */
  | { readonly kind: "repeated"; readonly caseType: string; readonly index: number }
  /** Right after the start. */
  | { readonly kind: "early"; readonly caseType: string; readonly index: number }
  /** All right after the start, the last first. */
  | { readonly kind: "reordered"; readonly caseType: string };

/** What people and senders give the cases of one type in a run. */
export interface Given {
  readonly caseType: CaseType;
  /** What approvals carry, by step; null where a step is not named. */
  readonly approvals: { readonly [step: string]: unknown };
  readonly events: readonly EventToSend[];
  /** The input that a person gives once a step's request was rejected, by step. */
  readonly corrected: { readonly [step: string]: unknown };
}

/** What one run is made of. */
export interface RunPlan {
  readonly rehearsed: Given;
  /** Those that it starts, and that they start. */
  readonly children: readonly Given[];
  readonly input: unknown;
  readonly effects: ((caseId: string) => Promise<readonly ListedEffect[]>) | null;
  readonly correct: Correction | null;
  readonly fault: PlannedFault | null;
  readonly delivery: Delivery;
  readonly startAt: number;
  readonly patienceMs: number;
}

/** What was seen of a run. Steps of a case that was started by another one have their case type in front: "label: print". */
export interface Observation {
  /** Of the rehearsed case. */
  readonly state: StoredState;
  /** True when nothing goes on before a person has reviewed something. */
  readonly isForPeople: boolean;
  /** Where the cases stand, in words. */
  readonly standing: string;
  /** The rehearsed one first. */
  readonly cases: readonly ObservedCase[];
  readonly seen: readonly ObservedEffect[];
  /** Null where no `effects` was given. */
  readonly listed: readonly ListedEffect[] | null;
  readonly executions: readonly ObservedExecution[];
  readonly passages: readonly Pick<Passage, "point" | "step">[];
  readonly requests: readonly Pick<FakeRequest, "by" | "step">[];
  readonly trace: readonly TraceLine[];
  readonly isHit: boolean;
}

/** An effect that somebody saw happen. */
interface ObservedEffect {
  readonly step: string;
  /** Which function of the step made it. */
  readonly kind: UserCall["kind"];
}

/** A call of `run` that ended. */
interface ObservedExecution {
  readonly step: string;
  readonly ended: Execution["ended"];
}

/** Longest a rehearsed case may take, in virtual ms: 400 days. */
const RUN_MS_MAX = 400 * 86_400_000;
/** How often people and events act in one run. */
const ACTS_MAX = 200;
/** How often one approval is answered: it may be asked again after a lapse. */
const ANSWERS_MAX = 3;
/** How long a person takes to restore an access, in virtual ms. */
const RESTORED_AFTER_MS = 60_000;
const BY = "rehearsal";

/** Runs the case once, with those that it starts. */
export async function runOnce(plan: RunPlan): Promise<Observation> {
  return new RehearsalRun(plan).go();
}

class RehearsalRun {
  readonly #plan: RunPlan;
  readonly #stage: Stage;
  /** Events that were sent, by case and index. */
  readonly #sent = new Set<string>();
  readonly #answers = new Map<string, number>();
  #caseId = "";
  #correction: "toCome" | "asked" | "over";
  /** What a person does once about the planned refusal is done. */
  #isMadeGood = false;

  constructor(plan: RunPlan) {
    this.#plan = plan;
    const { rehearsed, children, startAt, patienceMs, fault } = plan;
    this.#stage = new Stage({
      cases: [rehearsed, ...children].map(({ caseType }) => caseType),
      startAt,
      patienceMs,
      onEntry: (caseId, entry) => this.#onEntry(caseId, entry),
    });
    this.#correction = plan.correct === null ? "over" : "toCome";
    if (fault !== null) this.#stage.faults.add(fault);
  }

  async go(): Promise<Observation> {
    const { rehearsed, input, delivery } = this.#plan;
    const { name } = rehearsed.caseType.outline;
    const started = await this.#stage.desk.startCase(name, input, { by: BY });
    this.#caseId = started.caseId;
    const { row } = await this.#stored(this.#caseId);
    for (const index of this.#earlyFor(row, rehearsed)) await this.#send(row, index);
    const untilAt = this.#stage.time.now + RUN_MS_MAX;
    for (let acts = 0; acts < ACTS_MAX; acts += 1) {
      const end = await this.#stage.runUntil(() => this.#isAtRest(), untilAt);
      const act = end === "reached" ? await this.#nextAct() : null;
      if (act === null) break;
      await this.#stage.runBeside(act, untilAt);
    }
    if (delivery.kind === "repeated") {
      for (const one of await familyIn(this.#stage.store)) {
        if (one.caseType === delivery.caseType) await this.#send(one, delivery.index);
      }
      await this.#stage.runUntil(() => Promise.resolve(false), untilAt);
    }
    return this.#observe();
  }

  /** True when somebody acts now, or nothing goes on before. */
  async #isAtRest(): Promise<boolean> {
    if ((await this.#nextAct()) !== null) return true;
    const family = await familyIn(this.#stage.store);
    // Where all are in review nothing is due either; this one would look for its access again and again.
    const looksOn = family.some(({ state }) => state === "waiting");
    return looksOn && isForPeople(family) && this.#stage.stoppedUntil === null;
  }

  /** What a person or a sender does now; null = nothing. */
  async #nextAct(): Promise<(() => Promise<void>) | null> {
    for (const row of await familyIn(this.#stage.store)) {
      const act = await this.#nextActOn(row);
      if (act !== null) return act;
    }
    return null;
  }

  async #nextActOn(row: StoredRow): Promise<(() => Promise<void>) | null> {
    const { caseId, state, claim } = row;
    if (state === "done" || state === "canceled") return null;
    if (caseId === this.#caseId && this.#correction === "asked" && state === "paused")
      return () => this.#correct();
    const given = this.#givenTo(row);
    const remedy = this.#remedyFor(row, given);
    if (remedy !== null) return remedy;
    const eventAct = await this.#nextEventFor(row, given);
    if (eventAct !== null) return eventAct;
    const asked = claim === null ? row.summary.waits.find(({ kind }) => kind === "approval") : undefined;
    if (asked === undefined || (this.#answers.get(`${caseId} ${asked.step}`) ?? 0) >= ANSWERS_MAX)
      return null;
    return () => this.#approve(row, asked.step);
  }

  async #nextEventFor(row: StoredRow, given: Given): Promise<(() => Promise<void>) | null> {
    const isUnsent = (index: number): boolean => !this.#sent.has(`${row.caseId} ${index}`);
    const early = this.#earlyFor(row, given).find(isUnsent);
    if (early !== undefined) return () => this.#send(row, early);
    for (const [index, event] of given.events.entries()) {
      if (isUnsent(index) && (await this.#isDue(row, event))) return () => this.#deliver(row, index);
    }
    return null;
  }

  /** Events that are sent as soon as the case is there, in order. */
  #earlyFor({ caseType }: StoredRow, { events }: Given): readonly number[] {
    const { delivery } = this.#plan;
    if (delivery.kind === "inOrder" || delivery.caseType !== caseType) return [];
    switch (delivery.kind) {
      case "repeated":
        return [];
      case "early":
        return [delivery.index];
      case "reordered":
        return [...events.keys()].toReversed();
    }
  }

  async #isDue({ caseId, summary }: StoredRow, { eventType, after }: EventToSend): Promise<boolean> {
    if (after === undefined)
      return summary.waits.some((one) => one.kind === "event" && awaitedTypes(one).includes(eventType));
    const { journal } = await this.#stored(caseId);
    return journal.some(({ entry }) => entry.kind === "stepConfirmed" && entry.step === after);
  }

  #givenTo({ caseType }: StoredRow): Given {
    const { rehearsed, children } = this.#plan;
    const found = [rehearsed, ...children].find((one) => one.caseType.outline.name === caseType);
    invariant(found !== undefined, `a rehearsed case is of ${caseType}, which is not rehearsed`);
    return found;
  }

  /** Asked for right with the confirmation, so that the case stops before it goes on. */
  async #onEntry(caseId: string, entry: Entry): Promise<void> {
    const { correct } = this.#plan;
    if (caseId !== this.#caseId || this.#correction !== "toCome") return;
    if (entry.kind !== "stepConfirmed" || entry.step !== correct?.after) return;
    this.#correction = "asked";
    await this.#stage.desk.pause(this.#caseId, { by: BY, reason: "to correct the input" });
  }

  async #correct(): Promise<void> {
    const { correct } = this.#plan;
    this.#correction = "over";
    if (correct === null) return;
    const reason = "corrected in the middle";
    await this.#stage.desk.correctInput(this.#caseId, { input: correct.input, by: BY, reason });
    await this.#stage.desk.resume(this.#caseId, { by: BY });
  }

  /** What a person does about the planned refusal, once the case asks for it; null = nothing. */
  #remedyFor({ caseId, caseType, claim, summary }: StoredRow, given: Given): (() => Promise<void>) | null {
    const { fault } = this.#plan;
    if (fault?.kind !== "refused" || this.#isMadeGood || claim !== null) return null;
    if ((fault.caseType ?? caseType) !== caseType) return null;
    const reason = summary.reviews.find(({ step }) => step === fault.step)?.reason;
    if (fault.how === "revoked" && reason === "denied") return () => this.#restoreAccess(given, fault.step);
    if (fault.how === "input, then corrected" && reason === "rejected")
      return () => this.#correctRejected(caseId, given, fault.step);
    return null;
  }

  async #restoreAccess({ caseType }: Given, step: string): Promise<void> {
    this.#isMadeGood = true;
    const outline = findStep(caseType.outline, step);
    invariant(outline?.kind === "step", `${step} was refused access and is no step that sends`);
    const { name, credentialId } = outline.destination;
    // Whoever restores it does so after it was refused: what was refused since then is not released by it.
    await new Promise<void>((resolve) => this.#stage.time.after(RESTORED_AFTER_MS, resolve));
    this.#stage.tell(`a person restores the access to ${name}`);
    const { probe } = await this.#stage.desk.restoreAccess({ destination: name, credentialId, by: BY });
    this.#stage.tell(`the access to ${name} is tried: ${probe.kind}`);
  }

  async #correctRejected(caseId: string, { corrected }: Given, step: string): Promise<void> {
    this.#isMadeGood = true;
    const input = corrected[nameWithoutKey(step)];
    await this.#stage.desk.correctInput(caseId, { input, by: BY, reason: `${step} was rejected` });
  }

  async #approve(row: StoredRow, step: string): Promise<void> {
    const { approvals } = this.#givenTo(row);
    const { caseId } = row;
    const form = Object.hasOwn(approvals, step) ? approvals[step] : null;
    const asked = `${caseId} ${step}`;
    this.#answers.set(asked, (this.#answers.get(asked) ?? 0) + 1);
    await this.#stage.desk.answerApproval(caseId, { step, approved: true, form, by: BY });
  }

  async #deliver(row: StoredRow, index: number): Promise<void> {
    const { delivery } = this.#plan;
    await this.#send(row, index);
    const isRepeated = delivery.kind === "repeated" && delivery.caseType === row.caseType;
    if (isRepeated && delivery.index === index) await this.#send(row, index);
  }

  async #send(row: StoredRow, index: number): Promise<void> {
    const { caseId } = row;
    const event = this.#givenTo(row).events[index];
    this.#sent.add(`${caseId} ${index}`);
    if (event === undefined) return;
    const { eventType, payload } = event;
    this.#stage.tell(this.#stage.named(caseId, `event ${eventType} arrives`));
    await this.#stage.desk.recordEvent(caseId, { eventType, payload, sourceId: `rehearsal-${index}` });
  }

  async #observe(): Promise<Observation> {
    const { effects, executions, passages, requests, trace, faults } = this.#stage;
    const family = await familyIn(this.#stage.store);
    const prefixes = new Map(family.map(({ caseId, caseType }) => [caseId, this.#prefixOf(caseType)]));
    const named = ({ caseId, step }: StepOfCase): string => `${prefixes.get(caseId) ?? ""}${step}`;
    const stored = await Promise.all(family.map(({ caseId }) => this.#stored(caseId)));
    const rehearsed = await this.#stored(this.#caseId);
    return {
      state: rehearsed.row.state,
      isForPeople: !isOver(rehearsed.row) && isForPeople(family),
      standing: stored
        .filter(({ row }) => !isOver(row))
        .map((one) => this.#standingOf(one))
        .join("; "),
      cases: stored.map(({ row, journal }) => ({
        prefix: this.#prefixOf(row.caseType),
        state: row.state,
        entries: journal,
      })),
      seen: [
        ...effects.map(({ call }) => ({ step: named(call), kind: call.kind })),
        // A case that was started is an effect that stands in our own store.
        ...family.flatMap(({ summary: { parent } }) =>
          parent === undefined ? [] : [{ step: named(parent), kind: "run" } as const],
        ),
      ],
      listed: this.#plan.effects === null ? null : await this.#list(this.#plan.effects, family),
      executions: executions.map(({ call, ended }) => ({ step: named(call), ended })),
      passages: passages.map((one) => ({ point: one.point, step: named(one) })),
      requests: requests.map((one) => ({ by: one.by, step: named(one) })),
      trace,
      isHit: faults.openCount === 0,
    };
  }

  async #list(
    effects: NonNullable<RunPlan["effects"]>,
    family: readonly StoredRow[],
  ): Promise<readonly ListedEffect[]> {
    const listed: ListedEffect[] = [];
    for (const row of family) {
      const { outline } = this.#givenTo(row).caseType;
      for (const one of readEffects(await effects(row.caseId), outline))
        listed.push({ ...one, step: `${this.#prefixOf(row.caseType)}${one.step}` });
    }
    return listed;
  }

  #prefixOf(caseType: string): string {
    return prefixOf(caseType, this.#plan.rehearsed.caseType.outline.name);
  }

  #standingOf(stored: StoredCase): string {
    return `${this.#prefixOf(stored.row.caseType)}${standing(journalOf(stored))}`;
  }

  async #stored(caseId: string): Promise<StoredCase> {
    const stored = await this.#stage.store.loadCase(caseId);
    if (stored !== null) return stored;
    throw new FootholdError("INVARIANT_BROKEN", `The rehearsed case ${caseId} is not in its store.`);
  }
}

interface StepOfCase {
  readonly caseId: string;
  readonly step: string;
}

function isOver({ state }: StoredRow): boolean {
  return state === "done" || state === "canceled";
}

/** What was listed may come from a plain JavaScript file: a step that is none would be counted nowhere. */
function readEffects(listed: unknown, outline: CaseOutline): readonly ListedEffect[] {
  const effects: readonly unknown[] | null = Array.isArray(listed) ? listed : null;
  if (effects?.every(isListedEffect) !== true) {
    throw new FootholdError(
      "INVALID_REQUEST",
      'effects of the rehearsal must give a list such as [{ step: "pay", id: "P-7" }].',
    );
  }
  for (const { step } of effects) {
    if (findStep(outline, step)?.kind === "step") continue;
    throw new FootholdError(
      "INVALID_REQUEST",
      `effects of the rehearsal lists one of ${step}, which is no step of ${outline.name} that sends.`,
    );
  }
  return effects;
}

function isListedEffect(value: unknown): value is ListedEffect {
  return typeof value === "object" && value !== null && "step" in value && typeof value.step === "string";
}
