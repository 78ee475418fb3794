/** One run of a rehearsed case, with the faults planned for it, and what was seen of it. */

import { FootholdError, invariant } from "../core/errors.ts";
import type { Entry, JournalEntry } from "../core/journal.ts";
import { awaitedTypes } from "../core/outline.ts";
import { nameWithoutKey } from "../core/part-name.ts";
import type { StoredState } from "../core/row.ts";
import { findStep } from "../core/undo.ts";
import type { CaseType } from "../define/case-type.ts";
import type { StoredCase, StoredRow } from "../store/port.ts";
import type { SeenEffect } from "./current-call.ts";
import { journalOf, standing } from "./case-journal.ts";
import type { PlannedFault } from "./planned-fault.ts";
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

/** How the events of a run are delivered. `index`: the event that it is about. */
export type Delivery =
  | { readonly kind: "inOrder" }
  /** Twice at once, and once more at the end. */
  | { readonly kind: "repeated"; readonly index: number }
  /** Right after the start. */
  | { readonly kind: "early"; readonly index: number }
  /** All right after the start, the last first. */
  | { readonly kind: "reordered" };

/** What one run is made of. */
export interface RunPlan {
  readonly caseType: CaseType;
  readonly input: unknown;
  /** What approvals carry, by step; null where a step is not named. */
  readonly approvals: { readonly [step: string]: unknown };
  readonly events: readonly EventToSend[];
  readonly effects: ((caseId: string) => Promise<readonly ListedEffect[]>) | null;
  readonly correct: Correction | null;
  /** The input that a person gives once a step's request was rejected, by step. */
  readonly corrected: { readonly [step: string]: unknown };
  readonly fault: PlannedFault | null;
  readonly delivery: Delivery;
  readonly startAt: number;
  readonly patienceMs: number;
}

/** What was seen of a run. */
export interface Observation {
  readonly state: StoredState;
  /** True when nothing goes on before a person has reviewed something. */
  readonly isForPeople: boolean;
  /** Where the case stands, in words. */
  readonly standing: string;
  readonly entries: readonly JournalEntry[];
  readonly seen: readonly SeenEffect[];
  /** Null where no `effects` was given. */
  readonly listed: readonly ListedEffect[] | null;
  readonly executions: readonly Execution[];
  readonly passages: readonly Passage[];
  readonly requests: readonly FakeRequest[];
  readonly trace: readonly TraceLine[];
  readonly isHit: boolean;
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

/** Runs the case once. */
export async function runOnce(plan: RunPlan): Promise<Observation> {
  return new RehearsalRun(plan).go();
}

class RehearsalRun {
  readonly #plan: RunPlan;
  readonly #stage: Stage;
  readonly #unsent: Set<number>;
  readonly #answers = new Map<string, number>();
  #caseId = "";
  #correction: "toCome" | "asked" | "over";
  /** What a person does once about the planned refusal is done. */
  #isMadeGood = false;

  constructor(plan: RunPlan) {
    this.#plan = plan;
    const { caseType, startAt, patienceMs, fault } = plan;
    this.#stage = new Stage({
      cases: [caseType],
      startAt,
      patienceMs,
      onEntry: (entry) => this.#onEntry(entry),
    });
    this.#correction = plan.correct === null ? "over" : "toCome";
    this.#unsent = new Set(plan.events.keys());
    if (fault !== null) this.#stage.faults.add(fault);
  }

  async go(): Promise<Observation> {
    const { caseType, input, delivery } = this.#plan;
    const started = await this.#stage.desk.startCase(caseType.outline.name, input, { by: BY });
    this.#caseId = started.caseId;
    if (delivery.kind === "early") await this.#send(delivery.index);
    if (delivery.kind === "reordered")
      for (const index of [...this.#unsent].toReversed()) await this.#send(index);
    const untilAt = this.#stage.time.now + RUN_MS_MAX;
    for (let acts = 0; acts < ACTS_MAX; acts += 1) {
      const end = await this.#stage.runUntil(() => this.#isAtRest(), untilAt);
      const act = end === "reached" ? await this.#nextAct() : null;
      if (act === null) break;
      await this.#stage.runBeside(act, untilAt);
    }
    if (delivery.kind === "repeated") {
      await this.#send(delivery.index);
      await this.#stage.runUntil(() => Promise.resolve(false), untilAt);
    }
    return this.#observe();
  }

  /** True when somebody acts now, or nothing goes on before. */
  async #isAtRest(): Promise<boolean> {
    if ((await this.#nextAct()) !== null) return true;
    const { row } = await this.#stored();
    return row.state === "waiting" && isForPeople(row) && this.#stage.stoppedUntil === null;
  }

  /** What a person or a sender does now; null = nothing. */
  async #nextAct(): Promise<(() => Promise<void>) | null> {
    const { row, journal } = await this.#stored();
    if (row.state === "done" || row.state === "canceled") return null;
    if (this.#correction === "asked" && row.state === "paused") return () => this.#correct();
    const remedy = this.#remedyFor(row);
    if (remedy !== null) return remedy;
    for (const index of this.#unsent) {
      const event = this.#plan.events[index];
      if (event === undefined) continue;
      const isDue =
        event.after === undefined
          ? row.summary.waits.some(
              (one) => one.kind === "event" && awaitedTypes(one).includes(event.eventType),
            )
          : journal.some(({ entry }) => entry.kind === "stepConfirmed" && entry.step === event.after);
      if (isDue) return () => this.#deliver(index);
    }
    const asked = row.claim === null ? row.summary.waits.find(({ kind }) => kind === "approval") : undefined;
    if (asked === undefined || (this.#answers.get(asked.step) ?? 0) >= ANSWERS_MAX) return null;
    return () => this.#approve(asked.step);
  }

  /** Asked for right with the confirmation, so that the case stops before it goes on. */
  async #onEntry(entry: Entry): Promise<void> {
    const { correct } = this.#plan;
    if (this.#correction !== "toCome" || entry.kind !== "stepConfirmed" || entry.step !== correct?.after)
      return;
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
  #remedyFor({ claim, summary }: StoredRow): (() => Promise<void>) | null {
    const { fault } = this.#plan;
    if (fault?.kind !== "refused" || this.#isMadeGood || claim !== null) return null;
    const reason = summary.reviews.find(({ step }) => step === fault.step)?.reason;
    if (fault.how === "revoked" && reason === "denied") return () => this.#restoreAccess(fault.step);
    if (fault.how === "input, then corrected" && reason === "rejected")
      return () => this.#correctRejected(fault.step);
    return null;
  }

  async #restoreAccess(step: string): Promise<void> {
    this.#isMadeGood = true;
    const outline = findStep(this.#plan.caseType.outline, step);
    invariant(outline?.kind === "step", `${step} was refused access and is no step that sends`);
    const { name, credentialId } = outline.destination;
    // Whoever restores it does so after it was refused: what was refused since then is not released by it.
    await new Promise<void>((resolve) => this.#stage.time.after(RESTORED_AFTER_MS, resolve));
    this.#stage.tell(`a person restores the access to ${name}`);
    const { probe } = await this.#stage.desk.restoreAccess({ destination: name, credentialId, by: BY });
    this.#stage.tell(`the access to ${name} is tried: ${probe.kind}`);
  }

  async #correctRejected(step: string): Promise<void> {
    this.#isMadeGood = true;
    const input = this.#plan.corrected[nameWithoutKey(step)];
    await this.#stage.desk.correctInput(this.#caseId, { input, by: BY, reason: `${step} was rejected` });
  }

  async #approve(step: string): Promise<void> {
    const { approvals } = this.#plan;
    const form = Object.hasOwn(approvals, step) ? approvals[step] : null;
    this.#answers.set(step, (this.#answers.get(step) ?? 0) + 1);
    await this.#stage.desk.answerApproval(this.#caseId, { step, approved: true, form, by: BY });
  }

  async #deliver(index: number): Promise<void> {
    const { delivery } = this.#plan;
    await this.#send(index);
    if (delivery.kind === "repeated" && delivery.index === index) await this.#send(index);
  }

  async #send(index: number): Promise<void> {
    const event = this.#plan.events[index];
    this.#unsent.delete(index);
    if (event === undefined) return;
    const { eventType, payload } = event;
    this.#stage.tell(`event ${eventType} arrives`);
    await this.#stage.desk.recordEvent(this.#caseId, { eventType, payload, sourceId: `rehearsal-${index}` });
  }

  async #observe(): Promise<Observation> {
    const { effects, executions, passages, requests, trace, faults } = this.#stage;
    const stored = await this.#stored();
    return {
      state: stored.row.state,
      isForPeople: isForPeople(stored.row),
      standing: standing(journalOf(stored)),
      entries: stored.journal,
      seen: effects,
      listed: this.#plan.effects === null ? null : await this.#plan.effects(this.#caseId),
      executions,
      passages,
      requests,
      trace,
      isHit: faults.openCount === 0,
    };
  }

  async #stored(): Promise<StoredCase> {
    const stored = await this.#stage.store.loadCase(this.#caseId);
    if (stored !== null) return stored;
    throw new FootholdError("INVARIANT_BROKEN", `The rehearsed case ${this.#caseId} is not in its store.`);
  }
}

/** What is kept back for want of access goes on looking for it: that alone is no going on. */
function isForPeople({ state, summary }: StoredRow): boolean {
  const { reviews, waits } = summary;
  if (state === "in_review") return true;
  return state === "waiting" && reviews.length > 0 && waits.every(({ kind }) => kind === "access");
}
