/**
 * The rehearsal: a case type run again and again with its own functions, once without faults and then once for each
 * place where a fault can hit, each run judged by the effects that it left.
 */

import { nameWithoutKey, readPartName } from "../core/part-name.ts";
import { findStep } from "../core/undo.ts";
import { FootholdError } from "../core/errors.ts";
import type { DestinationOutline, SendStepOutline } from "../core/outline.ts";
import type { CaseType } from "../define/case-type.ts";
import { childStepsOf } from "../define/children.ts";
import { parseDuration, type Duration } from "../define/duration.ts";
import { FAILPOINTS, type Failpoint } from "../engine/failpoints.ts";
import { expectedOf, judgeRun, type Expected, type Judgement } from "./judge-run.ts";
import type { AccessHow, PlannedFault, RefusedHow } from "./planned-fault.ts";
import {
  isSafeVerdict,
  rankOf,
  type EventFault,
  type Finding,
  type RehearsalCell,
  type RehearsalReport,
  type RehearsedEvent,
  type RehearsedStep,
  type StepFault,
} from "./rehearsal-report.ts";
import {
  runOnce,
  type Correction,
  type Delivery,
  type EventToSend,
  type Given,
  type ListedEffect,
  type Observation,
} from "./rehearsal-run.ts";
import { prefixOf } from "./rehearsed-family.ts";
import { PATIENCE_MS, START_AT } from "./virtual-time.ts";

/** What people and senders give a case. */
interface GivenOptions {
  /** What approvals carry, by step. Every approval is given; where a step is not named, without a form. */
  readonly approvals?: { readonly [step: string]: unknown };
  /** The events the case needs, in order. */
  readonly events?: readonly EventToSend[];
  /**
   * The whole input, as a person corrects it once the destination of a step rejected what was sent, by step. A step that
   * is not named is rehearsed up to the person.
   */
  readonly corrected?: { readonly [step: string]: unknown };
}

/** A case type that the rehearsed one starts, or that one of those starts: its steps are rehearsed too. */
export interface ChildToRehearse extends GivenOptions {
  readonly of: CaseType;
}

/** What a rehearsal is given. */
export interface RehearsalOptions<Input> extends GivenOptions {
  /** What each case starts with: a value, or a function of the number of the run, from 1. */
  readonly input: Input | ((run: number) => Input);
  /** Every case type that is started by `child` and `eachChild`, at whatever depth. */
  readonly children?: readonly ChildToRehearse[];
  /** A correction in the middle: rehearses what is done about confirmations that lapse, and the undo of steps. */
  readonly correct?: Correction;
  /**
   * Lists the effects that exist for a case at the real destinations, after each run; asked for each case that was
   * started. Without it they are counted by fake destinations, else told from what `run` gave.
   */
  readonly effects?: (caseId: string) => readonly ListedEffect[] | Promise<readonly ListedEffect[]>;
  /** Called before each run: set stand-ins to what every run begins with. */
  readonly prepare?: () => void | Promise<void>;
  /** Called once at the end, also when the rehearsal throws: stop what you started. */
  readonly finish?: () => void | Promise<void>;
  /** Epoch ms at which virtual time begins. Default 2027-01-15T08:00:00Z. */
  readonly startAt?: number;
  /** As for a test world. Default 5 s. */
  readonly patience?: Duration;
}

/** A rehearsal that the command line can run. */
export interface Rehearsal {
  readonly kind: "rehearsal";
  /** Rehearses everything. Throws `INVALID_REQUEST` where the case does not get through without any fault. */
  run(): Promise<RehearsalReport>;
}

/** For the file of `foothold rehearse`: export what this gives by default, or a list of them. */
export function defineRehearsal<Input>(
  caseType: CaseType<Input>,
  options: RehearsalOptions<Input>,
): Rehearsal {
  return { kind: "rehearsal", run: () => rehearse(caseType, options) };
}

/** Runs of one rehearsal. */
const RUNS_MAX = 1_000;

/**
 * Rehearses a case type. Throws `INVALID_REQUEST` when the case does not reach its end without any fault, and what the
 * definition, `prepare`, `effects` or `finish` throw.
 */
export async function rehearse<Input>(
  caseType: CaseType<Input>,
  options: RehearsalOptions<Input>,
): Promise<RehearsalReport> {
  try {
    return await new Rehearsing(caseType, options).go();
  } finally {
    await options.finish?.();
  }
}

interface Place<Fault extends string> {
  /** The step, or the event. */
  readonly name: string;
  readonly fault: Fault;
}

/** A step that sends, of the rehearsed case or of one that it starts. */
interface RehearsedSend {
  readonly given: Given;
  /** As the report calls it. */
  readonly name: string;
  readonly outline: SendStepOutline;
}

class Rehearsing<Input> {
  readonly #options: RehearsalOptions<Input>;
  readonly #rehearsed: Given;
  readonly #children: readonly Given[];
  readonly #findings = new Map<string, Finding>();
  #expected: readonly Expected[] = [];
  #runs = 0;

  constructor(caseType: CaseType<Input>, options: RehearsalOptions<Input>) {
    this.#options = options;
    this.#rehearsed = givenOf(caseType, options);
    this.#children = (options.children ?? []).map((child) => givenOf(child.of, child));
  }

  async go(): Promise<RehearsalReport> {
    this.#refuseUnknownChildren();
    const first = await this.#runWithoutFault();
    const second = await this.#runWithoutFault();
    const all = [this.#rehearsed, ...this.#children];
    const sends = all.flatMap((given) => sendsOf(given, this.#prefixOf(given), first));
    this.#expected = sends.map(({ name }) => expectedOf(name, first, second));
    const steps: RehearsedStep[] = [];
    for (const send of sends) steps.push(await this.#rehearseStep(send, first));
    const events: RehearsedEvent[] = [];
    for (const given of all) events.push(...(await this.#rehearseEvents(given)));
    const { name, version } = this.#rehearsed.caseType.outline;
    const isSafe = [...steps, ...events].every(({ cells }) =>
      cells.every(({ verdict }) => isSafeVerdict(verdict)),
    );
    const findings = [...this.#findings.values()].toSorted((a, b) => rankOf(a.verdict) - rankOf(b.verdict));
    return { caseType: name, version, runs: this.#runs, steps, events, findings, isSafe };
  }

  #prefixOf({ caseType }: Given): string {
    return prefixOf(caseType.outline.name, this.#rehearsed.caseType.outline.name);
  }

  /** Throws `INVALID_REQUEST`: what it starts cannot be run without its definition. */
  #refuseUnknownChildren(): void {
    const outlines = [this.#rehearsed, ...this.#children].map(({ caseType }) => caseType.outline);
    const known = new Set(outlines.map(({ name }) => name));
    for (const { name, step, of } of outlines.flatMap((one) =>
      childStepsOf(one).map((child) => ({ ...child, name: one.name })),
    )) {
      if (known.has(of)) continue;
      throw new FootholdError(
        "INVALID_REQUEST",
        `${step} of ${name} starts cases of ${of}, which the rehearsal does not know. Add its definition: ` +
          `children: [{ of: ${of} }]. It takes approvals, events and corrected of its own.`,
      );
    }
  }

  async #runWithoutFault(): Promise<Observation> {
    const seen = await this.#run(null, { kind: "inOrder" });
    if (seen.state === "done") return seen;
    throw new FootholdError(
      "INVALID_REQUEST",
      `The rehearsed case of ${this.#rehearsed.caseType.outline.name} does not reach its end without any fault: ` +
        `${seen.standing.replace(/\.$/, "")}. Give the input, approvals and events that take it there.\n` +
        seen.trace.map(({ text }) => `- ${text}`).join("\n"),
    );
  }

  async #rehearseStep({ given, name, outline }: RehearsedSend, first: Observation): Promise<RehearsedStep> {
    const cells: RehearsalCell<StepFault>[] = [];
    const isCorrected = Object.hasOwn(given.corrected, nameWithoutKey(outline.name));
    const place = { step: outline.name, caseType: given.caseType.outline.name };
    for (const { fault, planned, times } of faultsOf(name, outline, first, isCorrected)) {
      for (let nth = 1; nth <= times; nth += 1) {
        cells.push(await this.#tryOn({ name, fault }, { ...planned, ...place, nth }));
      }
    }
    const judgedBy = this.#expected.find((one) => one.step === name)?.judgedBy ?? "nothing";
    const { destination } = outline;
    const repeatSafety = destination.repeatSafety.by;
    return { step: name, destination: destination.name, repeatSafety, judgedBy, cells: worstOfEach(cells) };
  }

  async #rehearseEvents(given: Given): Promise<readonly RehearsedEvent[]> {
    const rehearsed: RehearsedEvent[] = [];
    for (const [index, { eventType }] of given.events.entries()) {
      const name = `${this.#prefixOf(given)}${eventType}`;
      rehearsed.push({ eventType: name, cells: await this.#rehearseEvent(given, index, name) });
    }
    return rehearsed;
  }

  async #rehearseEvent(
    given: Given,
    index: number,
    name: string,
  ): Promise<readonly RehearsalCell<EventFault>[]> {
    const caseType = given.caseType.outline.name;
    const cells = [
      await this.#tryDelivery({ name, fault: "repeated" }, { kind: "repeated", caseType, index }),
      await this.#tryDelivery({ name, fault: "early" }, { kind: "early", caseType, index }),
    ];
    if (given.events.length < 2) return cells;
    return [...cells, await this.#tryDelivery({ name, fault: "reordered" }, { kind: "reordered", caseType })];
  }

  async #tryOn(place: Place<StepFault>, fault: PlannedFault): Promise<RehearsalCell<StepFault>> {
    const seen = await this.#run(fault, { kind: "inOrder" });
    return this.#judge(place, seen);
  }

  async #tryDelivery(place: Place<EventFault>, delivery: Delivery): Promise<RehearsalCell<EventFault>> {
    return this.#judge(place, await this.#run(null, delivery));
  }

  #judge<Fault extends string>(place: Place<Fault>, seen: Observation): RehearsalCell<Fault> {
    const judged = judgeRun(this.#expected, seen);
    const isRight = FOR_PEOPLE.has(place.fault) && judged.verdict === "person" && judged.step === place.name;
    const judgement: Judgement = isRight ? { verdict: "safe", step: null } : judged;
    this.#note(place, judgement, seen);
    return { fault: place.fault, ...judgement };
  }

  #note({ name, fault }: Place<string>, { verdict, step }: Judgement, { trace }: Observation): void {
    if (verdict === "safe" || verdict === "checked") return;
    const named = step ?? name;
    const id = JSON.stringify([named, verdict]);
    const known = this.#findings.get(id);
    if (known !== undefined && known.trace.length <= trace.length) return;
    this.#findings.set(id, { step: named, verdict, fault: `${fault} of ${name}`, trace });
  }

  async #run(fault: PlannedFault | null, delivery: Delivery): Promise<Observation> {
    const {
      input,
      effects,
      correct = null,
      prepare,
      startAt = START_AT,
      patience = PATIENCE_MS,
    } = this.#options;
    if (this.#runs === RUNS_MAX) {
      throw new FootholdError(
        "INVALID_REQUEST",
        `The rehearsal needs more than ${RUNS_MAX} runs: split the case type.`,
      );
    }
    this.#runs += 1;
    await prepare?.();
    return runOnce({
      rehearsed: this.#rehearsed,
      children: this.#children,
      input: isInputFunction(input) ? input(this.#runs) : input,
      effects: effects === undefined ? null : async (caseId) => effects(caseId),
      correct,
      fault,
      delivery,
      startAt,
      patienceMs: parseDuration(patience),
    });
  }
}

function givenOf(caseType: CaseType, { approvals = {}, events = [], corrected = {} }: GivenOptions): Given {
  return { caseType, approvals, events, corrected };
}

/** The steps that send, each of a key by itself, and the undo steps that the run came to. */
function sendsOf(given: Given, prefix: string, { passages }: Observation): readonly RehearsedSend[] {
  const { outline } = given.caseType;
  const reached = passages
    .filter(({ step }) => step.startsWith(prefix))
    .map(({ step }) => step.slice(prefix.length));
  const isReached = ({ name }: SendStepOutline): boolean => reached.includes(name);
  const found = outline.steps.flatMap((step): readonly SendStepOutline[] => {
    if (step.kind === "each") {
      const names = [...new Set(reached)].filter((name) => readPartName(name)?.step === step.name);
      return names.flatMap((name) => {
        const part = findStep(outline, name);
        return part?.kind === "step" ? [part] : [];
      });
    }
    if (step.kind !== "step") return [];
    return step.undo !== null && isReached(step.undo) ? [step, step.undo] : [step];
  });
  return found.map((one) => ({ given, name: `${prefix}${one.name}`, outline: one }));
}

const HOWS: readonly RefusedHow[] = ["input", "too fast", "too fast, until told", "not there"];
const ACCESS_HOWS: readonly AccessHow[] = ["revoked", "used up"];
/** What is for a person, whatever the step is like: that nothing is sent again is what is rehearsed. */
const FOR_PEOPLE: ReadonlySet<string> = new Set<StepFault>(["refused: input", "refused: not there"]);

/** A fault of a step, and at how many places of a run it can hit. */
interface FaultPlaces {
  readonly fault: StepFault;
  readonly planned: DistributiveOmit<PlannedFault, "step" | "nth">;
  readonly times: number;
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

function faultsOf(
  name: string,
  { destination }: SendStepOutline,
  first: Observation,
  isCorrected: boolean,
): readonly FaultPlaces[] {
  const passages = first.passages.filter(({ step }) => step === name);
  const at = (point: Failpoint): number => passages.filter((one) => one.point === point).length;
  const calls = first.executions.filter(({ step }) => step === name);
  const requests = first.requests.filter(({ step }) => step === name);
  const comparing = requests.filter(({ by }) => by === "unique" || by === "if-match");
  return [
    ...FAILPOINTS.map((point) => {
      const planned = { kind: "crash", point } as const;
      return { fault: `crash ${point}`, planned, times: at(point) } as const;
    }),
    {
      fault: "answer lost",
      planned: { kind: "answerLost" },
      times: calls.filter(({ ended }) => ended.kind === "gave").length,
    },
    { fault: "late send", planned: { kind: "lateSend" }, times: calls.length },
    { fault: "late answer", planned: { kind: "lateAnswer" }, times: at("afterSend") },
    { fault: "request arrives late", planned: { kind: "lateRequest" }, times: requests.length },
    { fault: "rival", planned: { kind: "rival" }, times: comparing.length },
    ...refusalsOf(destination, isCorrected).map((fault) => ({ ...fault, times: calls.length })),
  ];
}

function refusalsOf(
  { repeatSafety, canRefresh }: DestinationOutline,
  isCorrected: boolean,
): readonly Omit<FaultPlaces, "times">[] {
  // Our own database refuses nothing in such words.
  if (repeatSafety.by === "transaction") return [];
  const hows: readonly RefusedHow[] = isCorrected ? [...HOWS, "input, then corrected"] : HOWS;
  const accessHows: readonly AccessHow[] = canRefresh ? [...ACCESS_HOWS, "expired"] : ACCESS_HOWS;
  return [
    ...hows.map((how) => ({ fault: `refused: ${how}`, planned: { kind: "refused", how } }) as const),
    ...accessHows.map((how) => ({ fault: `access: ${how}`, planned: { kind: "refused", how } }) as const),
  ];
}

function isInputFunction<Input>(input: Input | ((run: number) => Input)): input is (run: number) => Input {
  return typeof input === "function";
}

/** Of several attempts at one point, the worst. */
function worstOfEach(cells: readonly RehearsalCell<StepFault>[]): readonly RehearsalCell<StepFault>[] {
  return cells.filter(
    ({ fault, verdict }, index) =>
      !cells.some(
        (other, at) =>
          other.fault === fault &&
          (rankOf(other.verdict) < rankOf(verdict) || (other.verdict === verdict && at < index)),
      ),
  );
}
