/**
 * One claimed case, from its claim to the end of it. Load, plan, commit, act, and again: at each turn the outcomes that
 * are in and one step onward go to the door as one commit (R1), and what the commit allowed is begun. The claim ends
 * when no step runs (R15).
 */

import { actWithinMs } from "../core/claim.ts";
import { stepOf, type CaseState } from "../core/case-state.ts";
import { decideAfterAttempt, type SendOutcome } from "../core/decide.ts";
import { FootholdError } from "../core/errors.ts";
import { foldEntries, foldJournal } from "../core/fold.ts";
import type { Actor, AttemptRef, Entry } from "../core/journal.ts";
import type { Ports } from "../core/ports.ts";
import { rowOf } from "../core/row.ts";
import type { CaseType, RuntimeSendStep } from "../define/case-type.ts";
import type { CaseWrite, HolderReply, StoredCase, Store } from "../store/port.ts";
import { advance, preview, type Advance, type Question } from "./advance.ts";
import type { AttemptGate } from "./attempt-gate.ts";
import { makeAttempt, type AttemptContext } from "./attempt.ts";
import type { Committer } from "./committer.ts";
import type { FailpointPlace } from "./failpoints.ts";
import { askCheck, askProbes } from "./questions.ts";
import { reportLate } from "./late-report.ts";
import type { OnReport } from "./report.ts";

/** What every pick-up of a worker shares. */
export interface PickUpContext extends AttemptContext {
  readonly store: Store;
  readonly ports: Ports;
  readonly committer: Committer;
  readonly gate: AttemptGate;
  readonly holder: Extract<Actor, { kind: "worker" }>;
  /** Aborts when the process winds down: what runs is finished, nothing new is begun. */
  readonly windDown: AbortSignal;
  readonly onReport: OnReport;
}

/** How a pick-up ended. */
export type PickUpEnd =
  /** Nothing holds the case any more; it is due again at `dueAt`, if at any time. */
  { readonly kind: "released"; readonly dueAt: number | null } | { readonly kind: "claimLost" };

/** A task that ended. */
type Ended =
  | { readonly kind: "attempt"; readonly ref: AttemptRef; readonly outcome: SendOutcome }
  | { readonly kind: "answers"; readonly step: string; readonly entries: readonly Entry[] };

/** Works on a claimed case until its claim ends. Rejects for bugs only; the claim is then freed by the sweep. */
export function pickUp(
  context: PickUpContext,
  caseType: CaseType,
  stored: StoredCase,
  claimId: string,
): Promise<PickUpEnd> {
  return new PickUp(context, caseType, stored, claimId).run();
}

class PickUp {
  readonly #context: PickUpContext;
  readonly #caseType: CaseType;
  readonly #shard: number;
  readonly #claimId: string;
  readonly #lost = new AbortController();
  /** Steps with a task under way. */
  readonly #busy = new Set<string>();
  #ended: Ended[] = [];
  #bug: { readonly error: unknown } | null = null;
  #wake: () => void = () => undefined;
  #state: CaseState;

  constructor(context: PickUpContext, caseType: CaseType, stored: StoredCase, claimId: string) {
    this.#context = context;
    this.#caseType = caseType;
    this.#shard = stored.row.shard;
    this.#claimId = claimId;
    this.#state = foldJournal(stored.row.caseId, stored.journal);
  }

  async run(): Promise<PickUpEnd> {
    for (;;) {
      const turn = await this.#nextTurn();
      const { outcomes, next } = turn;
      for (const question of next.questions) this.#ask(question);
      if (outcomes.length === 0 && next.onward.length === 0 && next.end === "keep") {
        turn.leaveGate();
        await this.#untilTaskEnds();
        continue;
      }
      const hold = await this.#commitTurn(turn);
      if (hold === "claimLost") return this.#loseClaim(turn.ended);
      if (hold === "released") return { kind: "released", dueAt: rowOf(this.#state).dueAt };
    }
  }

  /** Commits a turn and begins the send that it opened. The gate stays entered only while an attempt is open. */
  async #commitTurn({ outcomes, next, leaveGate }: Turn): Promise<Hold> {
    let isSending = false;
    try {
      const hold = await this.#commit(outcomes, next);
      if (next.opens !== null && hold === "held" && this.#mayStart(next.opens)) {
        this.#send(next.opens, leaveGate);
        isSending = true;
      }
      return hold;
    } finally {
      if (!isSending) leaveGate();
    }
  }

  /** Works out the next commit; asks the gate first where an attempt is wanted. */
  async #nextTurn(): Promise<Turn> {
    const first = this.#turn(false);
    if (!first.next.wantsAttempt) return { ...first, leaveGate: () => undefined };
    const leaveGate = await this.#context.gate.enter(this.#state.losses > 0);
    // Time passed at the gate: what ended meanwhile counts.
    this.#ended = [...first.ended, ...this.#ended];
    return { ...this.#turn(true), leaveGate };
  }

  #turn(mayOpenAttempt: boolean): Omit<Turn, "leaveGate"> {
    const { windDown, kill, holder, ports, databaseClock, lease } = this.#context;
    const ended = this.#ended;
    this.#ended = [];
    const outcomes = this.#decideOutcomes(ended);
    const next = advance({
      caseType: this.#caseType,
      state: this.#state,
      outcomes,
      busy: this.#busy,
      claimId: this.#claimId,
      holder,
      now: databaseClock.now(),
      digest: ports.digest,
      mayBegin: !windDown.aborted && !kill.aborted && lease.isTrusted(),
      mayOpenAttempt,
    });
    return { ended, outcomes, next };
  }

  #decideOutcomes(ended: readonly Ended[]): readonly Entry[] {
    let state = this.#state;
    const entries: Entry[] = [];
    for (const one of ended) {
      const decided =
        one.kind === "answers" ? one.entries : [this.#decideAttempt(state, one.ref, one.outcome)];
      entries.push(...decided);
      state = preview(state, decided, state.changedAt);
    }
    return entries;
  }

  #decideAttempt(state: CaseState, ref: AttemptRef, outcome: SendOutcome): Entry {
    const { databaseClock, ports } = this.#context;
    const { outline } = this.#sendStep(ref.step);
    return decideAfterAttempt(outline, state, ref, outcome, databaseClock.now(), ports.random());
  }

  #sendStep(name: string): RuntimeSendStep {
    const step = this.#caseType.steps[name];
    if (step?.kind === "step") return step;
    throw new FootholdError("INVARIANT_BROKEN", `${name} of ${this.#caseType.outline.name} sends nothing`);
  }

  async #commit(outcomes: readonly Entry[], next: Advance): Promise<Hold> {
    const { committer, onFailpoint, ports } = this.#context;
    const place = this.#place(outcomes, next);
    if (outcomes.length === 0 && next.opens !== null) await onFailpoint("beforeIntent", place);
    if (outcomes.length > 0) await onFailpoint("beforeConfirm", place);
    const state = this.#state;
    const current = this.#write(state, [...outcomes, ...next.onward], next);
    const reply = await committer.commit({
      caseId: state.caseId,
      shard: this.#shard,
      commitId: ports.ids.unique(),
      claimId: this.#claimId,
      revision: state.revision,
      current,
      moved: (missed) => this.#write(foldEntries(state, missed), outcomes, next),
    });
    if (outcomes.length > 0) await onFailpoint("afterConfirm", place);
    return this.#learn(reply, current, outcomes, next);
  }

  #place(outcomes: readonly Entry[], next: Advance): FailpointPlace {
    const first = outcomes.find((entry) => "step" in entry && typeof entry.step === "string");
    const step = next.opens?.step ?? (first !== undefined && "step" in first ? (first.step ?? "") : "");
    const attempt = next.opens?.attempt ?? stepOf(this.#state, step).intent?.attempts.length ?? 0;
    return { caseId: this.#state.caseId, step, attempt, claimId: this.#claimId };
  }

  #write(base: CaseState, entries: readonly Entry[], next: Advance): CaseWrite {
    const at = Math.max(this.#context.databaseClock.now(), base.changedAt);
    const after = preview(base, entries, at);
    const { leaseMs } = this.#context.lease;
    const deadlines = [...this.#busy, ...(next.opens === null ? [] : [next.opens.step])].flatMap((name) => {
      const step = this.#caseType.steps[name];
      return step?.kind === "step" ? [step.outline.deadlineMs] : [];
    });
    return {
      at,
      entries,
      row: rowOf(after),
      claim:
        next.end === "keep"
          ? { kind: "keep", actWithinMs: actWithinMs(deadlines, leaseMs) }
          : { kind: "free" },
    };
  }

  /** Takes in what the door stored. */
  async #learn(
    reply: HolderReply,
    current: CaseWrite,
    outcomes: readonly Entry[],
    next: Advance,
  ): Promise<Hold> {
    switch (reply.kind) {
      case "current":
        this.#state = preview(this.#state, current.entries, current.at);
        return next.end === "keep" ? "held" : "released";
      case "moved":
        this.#state = foldEntries(this.#state, reply.missed);
        return next.end === "keep" ? "held" : "released";
      case "repeated":
        this.#state = foldEntries(this.#state, reply.missed);
        return reply.claimId === this.#claimId ? "held" : "released";
      case "claimLost":
        return "claimLost";
      case "refused":
        return this.#commitPlainly(outcomes, reply.why);
    }
  }

  /** The store cannot take these very outcomes: what happened is stored without the part that only people read (R11). */
  #commitPlainly(outcomes: readonly Entry[], why: string): Promise<Hold> {
    const plain = outcomes.map((entry) => plainly(entry, why));
    const isPlainer = JSON.stringify(plain) !== JSON.stringify(outcomes);
    if (isPlainer) return this.#commit(plain, { ...JUST_OUTCOMES, end: "keep" });
    throw new FootholdError(
      "INVARIANT_BROKEN",
      `The store refused a commit of case ${this.#state.caseId}: ${why}`,
      {
        details: { caseId: this.#state.caseId },
      },
    );
  }

  /** True when the attempt is in the journal under this claim: only then may it be sent (R17). */
  #mayStart(ref: AttemptRef): boolean {
    const { intent } = stepOf(this.#state, ref.step);
    if (intent?.version !== ref.intentVersion) return false;
    const attempt = intent.attempts.find(({ number }) => number === ref.attempt);
    return attempt?.claimId === this.#claimId && attempt.outcome.kind === "open";
  }

  #send(ref: AttemptRef, leaveGate: () => void): void {
    const place: FailpointPlace = {
      caseId: this.#state.caseId,
      step: ref.step,
      attempt: ref.attempt,
      claimId: this.#claimId,
    };
    const sending = makeAttempt(this.#context, {
      step: this.#sendStep(ref.step),
      state: this.#state,
      ref,
      place,
      lost: this.#lost.signal,
      onLateSuccess: (outcome) => this.#reportLate(ref, outcome),
    });
    this.#begin(
      ref.step,
      sending.then((outcome): Ended => ({ kind: "attempt", ref, outcome })).finally(leaveGate),
    );
  }

  #ask(question: Question): void {
    const { ports } = this.#context;
    const state = this.#state;
    if (question.kind === "check") {
      const { name } = question.step;
      const asking = askCheck(this.#context, this.#caseType, state, question.step, ports.random());
      this.#begin(
        name,
        asking.then((entry): Ended => ({ kind: "answers", step: name, entries: [entry] })),
      );
      return;
    }
    const { step } = question;
    const asking = askProbes(this.#context, this.#caseType, state, question, ports.random());
    this.#begin(
      step,
      asking.then((entries): Ended => ({ kind: "answers", step, entries })),
    );
  }

  #begin(step: string, task: Promise<Ended>): void {
    this.#busy.add(step);
    void task.then(
      (ended) => this.#end(step, ended),
      (error: unknown) => this.#fail(error),
    );
  }

  #end(step: string, ended: Ended): void {
    this.#busy.delete(step);
    if (this.#lost.signal.aborted) {
      if (ended.kind === "attempt") this.#reportLate(ended.ref, ended.outcome);
      return;
    }
    this.#ended.push(ended);
    this.#wake();
  }

  /** A bug in the engine: the pick-up rejects, and its claim is freed as lost. */
  #fail(error: unknown): void {
    this.#bug = { error };
    this.#wake();
  }

  async #untilTaskEnds(): Promise<void> {
    if (this.#ended.length === 0 && this.#bug === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#bug !== null) throw this.#bug.error;
  }

  /** Another holder may act by now: stop everything, and report what had happened as evidence (R10). */
  #loseClaim(ended: readonly Ended[]): PickUpEnd {
    this.#lost.abort(new Error("the claim was lost"));
    for (const one of [...ended, ...this.#ended]) {
      if (one.kind === "attempt") this.#reportLate(one.ref, one.outcome);
    }
    return { kind: "claimLost" };
  }

  #reportLate(ref: AttemptRef, outcome: SendOutcome): void {
    const { caseId } = this.#state;
    void reportLate(this.#context, this.#caseType, caseId, { ref, claimId: this.#claimId, outcome });
  }
}

/** Whether the claim is still ours after a commit. */
type Hold = "held" | "released" | "claimLost";

const JUST_OUTCOMES: Advance = { questions: [], wantsAttempt: false, onward: [], opens: null, end: "keep" };

function plainly(entry: Entry, why: string): Entry {
  switch (entry.kind) {
    case "stepConfirmed":
      return {
        ...entry,
        result: { kind: "unreadable", why: `the store refused it (${why})` },
        evidence: null,
      };
    case "attemptFailed": {
      const sentence = `${entry.step} failed with ${entry.failure.kind}; the store refused the details.`;
      return { ...entry, failure: { ...entry.failure, sentence, fields: [], raw: null } };
    }
    default:
      return entry;
  }
}

interface Turn {
  readonly ended: readonly Ended[];
  readonly outcomes: readonly Entry[];
  readonly next: Advance;
  readonly leaveGate: () => void;
}
