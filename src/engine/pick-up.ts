/**
 * One claimed case, from its claim to the end of it. Load, plan, commit, act, and again: at each turn the outcomes that
 * are in and one step onward go to the door as one commit (R1), and what the commit allowed is begun. The claim ends
 * when no step runs (R15).
 */

import { ACT_WITHIN_MS_MIN, actWithinMs } from "../core/claim.ts";
import { stepOf, type CaseState } from "../core/case-state.ts";
import { companyOf, type Company } from "../core/company.ts";
import { decideAfterAttempt, type SendOutcome } from "../core/decide.ts";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import type { Actor, AttemptRef, Entry } from "../core/journal.ts";
import { rowOf, type RestingState } from "../core/row.ts";
import { hasMasks, maskedTexts, resultPaths } from "../define/masking.ts";
import type { CaseType, RuntimeSendStep } from "../define/case-type.ts";
import { sendStepNamed, undoneBy } from "../define/facts.ts";
import type { FoldedCase, Store } from "../store/port.ts";
import type { LateRequest } from "../wire/attempt-record.ts";
import { advance, preview, type Advance, type Question } from "./advance.ts";
import { putInSight } from "./bug-in-sight.ts";
import { OpenAttempts, type AttemptGate, type LeaveGate } from "./attempt-gate.ts";
import { makeAttempt, type AttemptContext } from "./attempt.ts";
import type { AttemptTally } from "./attempt-tally.ts";
import { DestinationLeave, signedResult } from "./destination-leave.ts";
import type { FailpointPlace } from "./failpoints.ts";
import type { InFlight } from "./in-flight.ts";
import { HeldCase, type HeldCaseContext, type HolderWrite, type Hold } from "./held-case.ts";
import { reportLate } from "./late-report.ts";
import { measureSend } from "./measured.ts";
import { childCallsOf, type ChildContext } from "./child-calls.ts";
import { askCheck, askLook, askProbes, CHECK_MS_MAX, probesMsMax, type Asking } from "./questions.ts";
import { askRefresh, REFRESH_WAIT_MS_MAX, type Refreshes } from "./refresh.ts";
import type { OnReport } from "./report.ts";
import { sharedAbort } from "./stop-signal.ts";
import { tellParentAtOnce } from "./tell-parent.ts";
import { followDone, followQuestion, followSend } from "./traced.ts";
import { isEmpty, stepIn, transactionOf, type Ended, type Turn } from "./turn.ts";
import { makeTransactionAttempt, rolledBack, type TransactionEnd } from "./transaction-attempt.ts";

/** From this many outcome entries on, what else has ended goes with the next commit. */
const OUTCOMES_ENOUGH = 16;

/** What every pick-up of a worker shares. */
export interface PickUpContext extends AttemptContext, HeldCaseContext, ChildContext {
  readonly store: Store;
  readonly gate: AttemptGate;
  readonly refreshes: Refreshes;
  readonly inFlight: InFlight;
  readonly tally: AttemptTally;
  readonly holder: Extract<Actor, { kind: "worker" }>;
  /** Aborts when the process winds down: what runs is finished, nothing new is begun. */
  readonly windDown: AbortSignal;
  readonly onReport: OnReport;
  /** Takes what goes on after the pick-up has ended, so that a stop can wait for it. It never rejects. */
  readonly onLooseEnd: (task: Promise<void>) => void;
}

/** How a pick-up ended. */
export type PickUpEnd =
  /** Nothing holds the case any more; it is due again at `dueAt`, if at any time. */
  | { readonly kind: "released"; readonly state: RestingState; readonly dueAt: number | null }
  | { readonly kind: "claimLost" };

/**
 * Works on a claimed case until its claim ends. A bug of the engine is reported, and the case goes to people; rejects
 * with CORRUPT_JOURNAL, when the process gives up on a database that is away, and when not even that can be stored: the
 * claim is then freed as an orphan.
 */
export async function pickUp(
  context: PickUpContext,
  caseType: CaseType,
  stored: FoldedCase,
  claimId: string,
): Promise<PickUpEnd> {
  return new PickUp(context, caseType, new HeldCase(context, stored, claimId)).run();
}

class PickUp {
  readonly #context: PickUpContext;
  readonly #caseType: CaseType;
  readonly #held: HeldCase;
  readonly #lost = sharedAbort();
  /**
   * Steps with a task under way, or with one that ended and is not judged yet: to the plan it looks as if nobody knew what
   * became of it. With how long it may take, in ms.
   */
  readonly #busy = new Map<string, number>();
  /** Tasks that ended, not judged yet. */
  #ended: Ended[] = [];
  /** Tasks whose outcomes are in the commit under way. */
  #inHand: readonly Ended[] = [];
  #bug: { readonly error: unknown } | null = null;
  /** The right to open one attempt. */
  #pass: LeaveGate | null = null;
  readonly #leave: DestinationLeave;
  readonly #attempts = new OpenAttempts();
  #isAtGate = false;
  #isOver = false;
  #isRung = false;
  #wake: () => void = () => undefined;

  constructor(context: PickUpContext, caseType: CaseType, held: HeldCase) {
    this.#context = context;
    this.#caseType = caseType;
    this.#held = held;
    this.#leave = new DestinationLeave(context.inFlight, held.caseId);
  }

  async run(): Promise<PickUpEnd> {
    const { windDown } = this.#context;
    const onWindDown = (): void => this.#ring();
    windDown.addEventListener("abort", onWindDown);
    try {
      return await this.#work();
    } catch (error) {
      this.#letGo();
      if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") throw error;
      return await this.#putInSight(error);
    } finally {
      windDown.removeEventListener("abort", onWindDown);
      this.#isOver = true;
      this.#leaveGate();
      this.#leave.end();
      this.#attempts.end();
    }
  }

  async #work(): Promise<PickUpEnd> {
    for (;;) {
      if (this.#bug !== null) throw this.#bug.error;
      const turn = this.#nextTurn();
      if (isEmpty(turn) && turn.next.questions.length === 0) {
        await this.#untilSomethingHappens();
        continue;
      }
      // What a question is asked about is stored first.
      const hold = isEmpty(turn) ? await this.#askAll(turn.next.questions) : await this.#commitTurn(turn);
      if (hold === "claimLost") return this.#loseClaim();
      if (hold === "released") return this.#released();
    }
  }

  #released(): PickUpEnd {
    const { state } = rowOf(this.#held.state);
    if (state === "done") void followDone(this.#context.ports, this.#held.state);
    if (this.#held.state.parent !== null)
      this.#context.onLooseEnd(tellParentAtOnce(this.#context, this.#held.caseId));
    return { kind: "released", state, dueAt: this.#held.dueAt };
  }

  /** Works out the next commit; where an attempt is wanted, it opens one only with the gate's leave. */
  #nextTurn(): Turn {
    const outcomes = this.#takeOutcomes();
    // Most turns want an attempt and find the gate open: going through it first saves making the plan twice.
    if (this.#pass === null && !this.#isAtGate && this.#held.state.losses === 0) {
      this.#pass = this.#context.gate.tryEnter("any");
    }
    let next = this.#advance(outcomes);
    if (next.wantsAttempt && this.#passGate(outcomes)) next = this.#advance(outcomes);
    if (next.opens === null) this.#leaveGate();
    else this.#leave.enter(this.#sendStep(next.opens.step).outline.destination);
    if (next.wantsPermit !== null) void this.#leave.askPermit(next.wantsPermit, () => this.#ring());
    return { outcomes: next.end === "pollAgain" ? [] : outcomes, next };
  }

  #advance(outcomes: readonly Entry[]): Advance {
    const { windDown, kill, holder, ports, databaseClock, lease } = this.#context;
    return advance({
      caseType: this.#caseType,
      state: this.#held.state,
      outcomes,
      busy: new Set(this.#busy.keys()),
      claimId: this.#held.claimId,
      holder,
      now: databaseClock.now(),
      digest: ports.digest,
      mayBegin: !windDown.aborted && !kill.aborted && lease.isTrusted(),
      mayOpenAttempt: this.#pass !== null,
      holds: this.#leave.holds(this.#caseType.outline),
    });
  }

  /** True with the right to open an attempt at once. Else the case queues, and what is in is committed meanwhile. */
  #passGate(outcomes: readonly Entry[]): boolean {
    const { gate } = this.#context;
    const { losses } = this.#preview(outcomes);
    const company = companyOf(losses);
    if (this.#isAtGate) return false;
    this.#pass = gate.tryEnter(company);
    if (this.#pass !== null) return true;
    void this.#queueAtGate(company);
    return false;
  }

  async #queueAtGate(company: Company): Promise<void> {
    this.#isAtGate = true;
    const leave = await this.#context.gate.enter(company);
    this.#isAtGate = false;
    if (this.#isOver) leave();
    else this.#pass = leave;
    this.#ring();
  }

  #leaveGate(): void {
    this.#pass?.();
    this.#pass = null;
  }

  /** Decides what the tasks that ended mean, up to what one commit may hold. */
  #takeOutcomes(): readonly Entry[] {
    const taken: Ended[] = [];
    const outcomes: Entry[] = [];
    while (outcomes.length < OUTCOMES_ENOUGH) {
      const [one] = this.#ended;
      // What waits in a transaction of its own is committed by itself.
      if (one === undefined || (taken.length > 0 && transactionOf(one) !== null)) break;
      this.#ended.shift();
      taken.push(one);
      this.#busy.delete(one.kind === "answers" ? one.step : one.ref.step);
      outcomes.push(
        ...(one.kind === "answers" ? one.entries : [this.#decideAttempt(this.#preview(outcomes), one)]),
      );
      if (transactionOf(one) !== null) break;
    }
    this.#inHand = taken;
    return outcomes;
  }

  #preview(outcomes: readonly Entry[]): CaseState {
    return preview(this.#held.state, outcomes, this.#held.state.changedAt);
  }

  #decideAttempt(state: CaseState, { ref, outcome }: Extract<Ended, { kind: "attempt" }>): Entry {
    const { databaseClock, ports } = this.#context;
    const { outline } = this.#sendStep(ref.step);
    return decideAfterAttempt(outline, state, ref, outcome, databaseClock.now(), ports.random());
  }

  #sendStep(name: string): RuntimeSendStep {
    const step = sendStepNamed(this.#caseType, name);
    if (step !== null) return step;
    throw new FootholdError("INVARIANT_BROKEN", `${name} of ${this.#caseType.outline.name} sends nothing`);
  }

  /** Commits a turn and begins the send that it opened. */
  async #commitTurn({ outcomes, next }: Turn): Promise<Hold> {
    const { onFailpoint } = this.#context;
    const place = this.#place(outcomes, next);
    if (outcomes.length === 0 && next.opens !== null) await onFailpoint("beforeIntent", place);
    if (outcomes.length > 0) await onFailpoint("beforeConfirm", place);
    const opening = next.opens === null ? [] : [this.#sendStep(next.opens.step).outline.deadlineMs];
    const deadlinesMs = [...this.#busy.values(), ...opening];
    const write = { outcomes, onward: next.onward, end: next.end, pollAt: next.pollAt, deadlinesMs };
    const hold = await this.#commit(write);
    if (hold !== "claimLost") this.#putDown();
    if (outcomes.length > 0) await onFailpoint("afterConfirm", place);
    if (next.opens !== null && hold === "held" && this.#mayStart(next.opens)) this.#send(next.opens);
    else {
      this.#leaveGate();
      this.#leave.leaveUnsent();
    }
    if (hold === "released") this.#leave.noteHeld(next.held);
    return hold;
  }

  /** What was in hand is stored, or was taken up again. */
  #putDown(): void {
    for (const one of this.#inHand) {
      if (one.kind === "attempt" && !this.#busy.has(one.ref.step)) this.#attempts.stored(one.ref.step);
    }
    this.#inHand = [];
  }

  /** Commits, in the transaction of the step that ended where there is one. What was rolled back is a failed attempt. */
  async #commit(write: HolderWrite): Promise<Hold> {
    const [ended] = this.#inHand;
    const open = ended === undefined ? null : transactionOf(ended);
    if (open === null || ended?.kind !== "attempt") return this.#held.commit(write);
    const hold = await this.#held.commitIn(open, write);
    if (typeof hold === "string") return hold;
    const failure = rolledBack("was not committed", hold.why);
    const { ref } = ended;
    this.#busy.set(ref.step, this.#sendStep(ref.step).outline.deadlineMs);
    this.#ended.unshift({ kind: "attempt", ref, outcome: { kind: "failed", failure }, isOver: true });
    return "held";
  }

  #place(outcomes: readonly Entry[], { opens }: Advance): FailpointPlace {
    const { caseId, claimId, state } = this.#held;
    const ended = outcomes.map(stepIn).find((name) => name !== null) ?? null;
    // The outcome names the place where there is one; the step that follows begins its own.
    const step = ended ?? opens?.step ?? "";
    const attempts = stepOf(state, step).intent?.attempts.length ?? 0;
    const attempt = ended === null && opens !== null ? opens.attempt : attempts;
    return { caseId, step, attempt, claimId };
  }

  /** True when the attempt is in the journal under this claim: only then may it be sent (R17). */
  #mayStart(ref: AttemptRef): boolean {
    const { intent } = stepOf(this.#held.state, ref.step);
    if (intent?.version !== ref.intentVersion) return false;
    const attempt = intent.attempts.find(({ number }) => number === ref.attempt);
    return attempt?.claimId === this.#held.claimId && attempt.outcome.kind === "open";
  }

  #send(ref: AttemptRef): void {
    if (this.#pass !== null) this.#attempts.open(ref.step, this.#pass);
    this.#pass = null;
    const { caseId, claimId, state } = this.#held;
    const step = this.#sendStep(ref.step);
    const input = {
      step,
      undone: undoneBy(this.#caseType, state, ref.step),
      state,
      ref,
      place: { caseId, step: ref.step, attempt: ref.attempt, claimId },
      lost: this.#lost.signal,
      masking: hasMasks(this.#caseType)
        ? { texts: maskedTexts(this.#caseType, state), result: resultPaths(this.#caseType, ref.step) }
        : undefined,
      onLateSuccess: (outcome: SendOutcome) => this.#reportLate(ref, outcome),
      onLateRequest: ({ method, origin, isSure }: LateRequest) => {
        const { step: name, attempt } = ref;
        this.#context.onReport({ kind: "lateRequest", caseId, step: name, attempt, method, origin, isSure });
      },
    };
    const left = this.#leave.send();
    const make = (): Promise<TransactionEnd> =>
      step.outline.destination.repeatSafety.by === "transaction"
        ? makeTransactionAttempt(this.#context, this.#context.store, input, (open) =>
            childCallsOf(this.#context, { step: step.outline, state }, open),
          )
        : makeAttempt(this.#context, input);
    const sent = { state, step: step.outline, attempt: ref.attempt, claimId };
    const sending = followSend(this.#context.ports, state, step.outline, ref, () =>
      measureSend(this.#context, sent, make),
    );
    this.#begin(
      ref.step,
      step.outline.deadlineMs,
      sending
        .then((end): Ended => {
          this.#context.tally.note(step.outline.destination, end.outcome);
          left(
            signedResult(
              step.outline,
              stepOf(this.#held.state, ref.step),
              ref,
              end.outcome,
              this.#isStopped(),
            ),
          );
          return { kind: "attempt", ref, ...end };
        })
        .finally(() => {
          left({ failure: null, isNothing: true });
          this.#attempts.sent(ref.step);
        }),
    );
  }

  /** True where a send that ended now may have ended because we stopped it. */
  #isStopped(): boolean {
    const { kill, lease } = this.#context;
    return this.#lost.signal.aborted || kill.aborted || !lease.isTrusted();
  }

  /** Asks, after the claim was given the time that it takes. */
  async #askAll(questions: readonly Question[]): Promise<Hold> {
    const { lease } = this.#context;
    const { revision } = this.#held.state;
    const deadlinesMs = [...this.#busy.values(), ...questions.map((one) => this.#askMsMax(one))];
    if (actWithinMs(deadlinesMs, lease.leaseMs) > ACT_WITHIN_MS_MIN) {
      const hold = await this.#held.commit({ outcomes: [], onward: [], end: "keep", deadlinesMs });
      if (hold !== "held") return hold;
    }
    // Where something came in between, the plan is made again first.
    const isAsPlanned = this.#held.state.revision === revision;
    if (isAsPlanned) for (const question of questions) this.#ask(question);
    return "held";
  }

  #askMsMax(question: Question): number {
    switch (question.kind) {
      case "check":
        return CHECK_MS_MAX;
      case "probe":
        return probesMsMax(this.#caseType, question);
      case "look":
        return question.step.deadlineMs;
      case "refresh":
        return REFRESH_WAIT_MS_MAX;
    }
  }

  #ask(question: Question): void {
    const asking: Asking = {
      caseType: this.#caseType,
      state: this.#held.state,
      lost: this.#lost.signal,
      random: this.#context.ports.random(),
      digest: this.#context.ports.digest,
    };
    const step = question.kind === "probe" ? question.step : question.step.name;
    this.#begin(
      step,
      this.#askMsMax(question),
      followQuestion(this.#context.ports, this.#held.state, { kind: question.kind, step }, () =>
        this.#answers(question, asking),
      ).then((entries): Ended => ({ kind: "answers", step, entries })),
    );
  }

  #answers(question: Question, asking: Asking): Promise<readonly Entry[]> {
    const { databaseClock, refreshes } = this.#context;
    switch (question.kind) {
      case "check":
        return askCheck(this.#context, asking, question);
      case "probe":
        return askProbes(this.#context, asking, question);
      case "look":
        return askLook(this.#context, asking, question.step);
      case "refresh":
        return askRefresh(refreshes, asking, question.step, () => databaseClock.now());
    }
  }

  #begin(step: string, deadlineMs: number, task: Promise<Ended>): void {
    this.#busy.set(step, deadlineMs);
    void task.then(
      (ended) => this.#end(ended),
      (error: unknown) => this.#fail(error),
    );
  }

  #end(ended: Ended): void {
    if (this.#lost.signal.aborted) {
      this.#reportEnded([ended]);
      return;
    }
    this.#ended.push(ended);
    this.#ring();
  }

  #fail(error: unknown): void {
    this.#bug ??= { error };
    this.#ring();
  }

  /** Waits for a task to end, for the gate, or for the process to wind down. */
  async #untilSomethingHappens(): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isRung = false;
  }

  #ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Another holder may act by now. */
  #loseClaim(): PickUpEnd {
    this.#letGo();
    return { kind: "claimLost" };
  }

  /** Stops every task, and reports what had happened as evidence (R10). */
  #letGo(): void {
    this.#lost.abort(new Error("the claim was lost"));
    this.#reportEnded([...this.#inHand, ...this.#ended]);
    this.#inHand = [];
    this.#ended = [];
  }

  #reportEnded(ended: readonly Ended[]): void {
    for (const one of ended) {
      const open = transactionOf(one);
      if (open !== null) this.#context.onLooseEnd(open.rollBack());
      // An attempt is reported once: one that goes on must keep its say.
      else if (one.kind === "attempt" && one.isOver) this.#reportLate(one.ref, one.outcome);
    }
  }

  #reportLate(ref: AttemptRef, outcome: SendOutcome): void {
    const { caseId, claimId } = this.#held;
    this.#context.onLooseEnd(reportLate(this.#context, this.#caseType, caseId, { ref, claimId, outcome }));
  }

  async #putInSight(error: unknown): Promise<PickUpEnd> {
    const onward = putInSight(this.#caseType, this.#held.state, error);
    if (onward === null) throw error;
    const hold = await this.#held.commit({ outcomes: [], onward, end: "settled", deadlinesMs: [] });
    this.#context.onReport({ kind: "bug", caseId: this.#held.caseId, error });
    return hold === "claimLost" ? { kind: "claimLost" } : this.#released();
  }
}
