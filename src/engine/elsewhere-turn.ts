/**
 * One case under the claim of a worker elsewhere, from a report to the next task. It holds nothing between two requests: what was
 * asked of the worker is in the journal, or nothing was. So any server can take the report, and a restart loses nothing.
 */

import { actWithinMs, ACT_WITHIN_MS_MIN } from "../core/claim.ts";
import { companyOf } from "../core/company.ts";
import { FootholdError } from "../core/errors.ts";
import type { Actor, AttemptRef, Entry } from "../core/journal.ts";
import type { SendStepOutline } from "../core/outline.ts";
import type { Ports } from "../core/ports.ts";
import type { CaseType } from "../define/case-type.ts";
import { sendStepNamed } from "../define/facts.ts";
import { advance, preview, type Advance, type Question } from "./advance.ts";
import type { AttemptGate, LeaveGate } from "./attempt-gate.ts";
import { putInSight } from "./bug-in-sight.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { DestinationLeave } from "./destination-leave.ts";
import { checkTask, openUnder, sendTask, type WorkTask } from "./elsewhere-task.ts";
import type { HeldCase, HolderWrite } from "./held-case.ts";
import type { AttemptResult, InFlight } from "./in-flight.ts";
import { checkWanted, CHECK_MS_MAX } from "./questions.ts";
import type { OnReport } from "./report.ts";

/** Turns without a task before a case is given back: each commits something, or asks for a permit. */
const TURNS_MAX = 64;
/** When a case is looked at again that had to wait for another of the same worker, in ms. */
const WAIT_MS = 1_000;

/** An attempt that a worker elsewhere has open, as this process counts it. */
export interface CountedAttempt {
  readonly leaveGate: LeaveGate;
  readonly left: (result: Omit<AttemptResult, "caseId">) => void;
}

/** What a turn works with. */
export interface TurnContext {
  readonly ports: Ports;
  readonly databaseClock: DatabaseClock;
  readonly leaseMs: number;
  readonly holder: Actor;
  readonly inFlight: InFlight;
  readonly gate: AttemptGate;
  /** Takes the count of an attempt that was opened. */
  readonly onOpened: (claimId: string, counted: CountedAttempt) => void;
  readonly onReport: OnReport;
}

/** A case, and what came in of it. */
export interface TurnInput {
  readonly held: HeldCase;
  readonly caseType: CaseType;
  readonly outcomes: readonly Entry[];
  /** Names the commit that stores them, whichever process makes it. */
  readonly commitId?: string;
  /** False where the worker takes nothing more: then the case goes back. */
  readonly mayBegin: boolean;
}

/** How a turn ended. */
export type TurnEnd =
  | { readonly kind: "task"; readonly task: WorkTask }
  /** Nothing holds the case any more. */
  | { readonly kind: "released" }
  | { readonly kind: "claimLost" };

/** Goes on with a case up to the next thing that only its worker can do. A bug of the engine puts the case in sight. */
export async function takeTurn(context: TurnContext, input: TurnInput): Promise<TurnEnd> {
  const { held, caseType } = input;
  const open = openUnder(held.state, held.claimId);
  // Its answer may have been lost on the way: the same task is told again.
  if (open !== null && !isAbout(input.outcomes, open)) return taskOf(context, input, open);
  const leave = new DestinationLeave(context.inFlight, held.caseId);
  try {
    return await new Turn(context, input, leave).run();
  } catch (error) {
    if (error instanceof FootholdError && error.code === "DATABASE_UNAVAILABLE") throw error;
    const onward = putInSight(caseType, held.state, error);
    if (onward === null) throw error;
    context.onReport({ kind: "bug", caseId: held.caseId, error });
    const hold = await held.commit({ outcomes: [], onward, end: "settled", deadlinesMs: [] });
    return hold === "claimLost" ? { kind: "claimLost" } : { kind: "released" };
  } finally {
    leave.end();
  }
}

function isAbout(outcomes: readonly Entry[], { step }: AttemptRef): boolean {
  return outcomes.some((entry) => "step" in entry && entry.step === step);
}

function taskOf(context: TurnContext, { held, caseType }: TurnInput, ref: AttemptRef): TurnEnd {
  const now = context.databaseClock.now();
  const task = sendTask(caseType, held.state, { ref, claimId: held.claimId, now });
  if (task !== null) return { kind: "task", task };
  throw new FootholdError("INVARIANT_BROKEN", `${ref.step} of ${held.caseId} was opened without an attempt`);
}

type Step = TurnEnd | { readonly kind: "goOn" };

const GO_ON: Step = { kind: "goOn" };

class Turn {
  readonly #context: TurnContext;
  readonly #input: TurnInput;
  readonly #leave: DestinationLeave;
  #outcomes: readonly Entry[];
  #commitId: string | undefined;

  constructor(context: TurnContext, input: TurnInput, leave: DestinationLeave) {
    this.#context = context;
    this.#input = input;
    this.#leave = leave;
    this.#outcomes = input.outcomes;
    this.#commitId = input.commitId;
  }

  async run(): Promise<TurnEnd> {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      const step = await this.#once();
      if (step.kind !== "goOn") return step;
    }
    return this.#backForNow();
  }

  async #once(): Promise<Step> {
    const { gate } = this.#context;
    const pass = gate.tryEnter(companyOf(this.#preview().losses));
    const next = this.#advance(pass !== null);
    if (next.opens !== null && pass !== null) return this.#open(next, next.opens, pass);
    pass?.();
    if (this.#outcomes.length > 0 || next.onward.length > 0 || next.end !== "keep") return this.#commit(next);
    const [question] = next.questions;
    if (question !== undefined) return this.#ask(question);
    if (next.wantsPermit !== null) {
      await this.#leave.askPermit(next.wantsPermit, () => undefined);
      return GO_ON;
    }
    return this.#backForNow();
  }

  #preview(): ReturnType<typeof preview> {
    const { state } = this.#input.held;
    return preview(state, this.#outcomes, state.changedAt);
  }

  #advance(mayOpenAttempt: boolean): Advance {
    const { caseType, held, mayBegin } = this.#input;
    const { databaseClock, holder, ports } = this.#context;
    return advance({
      caseType,
      state: held.state,
      outcomes: this.#outcomes,
      busy: new Set(),
      claimId: held.claimId,
      holder,
      now: databaseClock.now(),
      digest: ports.digest,
      mayBegin,
      mayOpenAttempt,
      holds: this.#leave.holds(caseType.outline),
    });
  }

  /** The attempt is told to its worker only once it is committed (R17). */
  async #open(next: Advance, ref: AttemptRef, pass: LeaveGate): Promise<Step> {
    const { held } = this.#input;
    const { destination, deadlineMs } = this.#sendStep(ref.step);
    this.#leave.enter(destination);
    const hold = await this.#write({ ...this.#writeOf(next), deadlinesMs: [deadlineMs] });
    const open = openUnder(held.state, held.claimId);
    if (hold !== "held" || open?.step !== ref.step || open.attempt !== ref.attempt) {
      this.#leave.leaveUnsent();
      pass();
      return endOf(hold);
    }
    this.#context.onOpened(held.claimId, { leaveGate: pass, left: this.#leave.send() });
    return taskOf(this.#context, this.#input, ref);
  }

  async #commit(next: Advance): Promise<Step> {
    const hold = await this.#write(this.#writeOf(next));
    if (hold === "released") this.#leave.noteHeld(next.held);
    return endOf(hold);
  }

  #writeOf({ onward, end, pollAt }: Advance): HolderWrite {
    return {
      outcomes: end === "pollAgain" ? [] : this.#outcomes,
      onward,
      end,
      pollAt,
      deadlinesMs: [],
      ...(this.#commitId === undefined ? {} : { commitId: this.#commitId }),
    };
  }

  async #write(write: HolderWrite): ReturnType<HeldCase["commit"]> {
    const hold = await this.#input.held.commit(write);
    this.#outcomes = [];
    this.#commitId = undefined;
    return hold;
  }

  /** A check is no attempt: nothing of it is in the journal before its answer. */
  async #ask(question: Question): Promise<Step> {
    const { caseType, held } = this.#input;
    const { databaseClock, leaseMs, ports } = this.#context;
    if (question.kind !== "check") {
      const what = `a ${question.kind} was wanted of ${held.caseId}, which is run elsewhere`;
      throw new FootholdError("INVARIANT_BROKEN", what);
    }
    if (actWithinMs([CHECK_MS_MAX], leaseMs) > ACT_WITHIN_MS_MIN) {
      const hold = await this.#write({ outcomes: [], onward: [], end: "keep", deadlinesMs: [CHECK_MS_MAX] });
      if (hold !== "held") return endOf(hold);
    }
    const askedAt = databaseClock.now();
    const asked = checkWanted({ caseType, state: held.state, digest: ports.digest }, question, askedAt);
    if (asked === null) throw new FootholdError("INVARIANT_BROKEN", `${question.step.name} has no intent`);
    const { intent, wanted, fencingToken } = asked;
    const { request } = wanted;
    if (request.kind === "failed") throw new FootholdError("INVALID_DEFINITION", request.why);
    const task = checkTask(caseType, held.state, {
      step: question.step.name,
      claimId: held.claimId,
      about: question.about,
      request: request.value ?? null,
      idempotencyKey: intent.idempotencyKey,
      fingerprint: wanted.effect.fingerprint,
      fencingToken,
      askedAt,
      withinMs: CHECK_MS_MAX,
    });
    return { kind: "task", task };
  }

  /** Another case of this worker has to end first (R9), or nothing came of many turns. */
  async #backForNow(): Promise<TurnEnd> {
    const pollAt = this.#context.databaseClock.now() + WAIT_MS;
    const hold = await this.#write({ outcomes: [], onward: [], end: "pollAgain", pollAt, deadlinesMs: [] });
    return hold === "claimLost" ? { kind: "claimLost" } : { kind: "released" };
  }

  #sendStep(name: string): SendStepOutline {
    const { caseType, held } = this.#input;
    const step = sendStepNamed(caseType, name);
    if (step !== null) return step.outline;
    throw new FootholdError("INVARIANT_BROKEN", `${name} of ${held.caseId} sends nothing`);
  }
}

function endOf(hold: Awaited<ReturnType<HeldCase["commit"]>>): Step {
  switch (hold) {
    case "held":
      return GO_ON;
    case "released":
      return { kind: "released" };
    case "claimLost":
      return { kind: "claimLost" };
  }
}
