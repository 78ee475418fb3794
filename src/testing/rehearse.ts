/**
 * The rehearsal: a case type run again and again with its own functions, once without faults and then once for each
 * place where a fault can hit, each run judged by the effects that it left.
 */

import { nameWithoutKey, readPartName } from "../core/part-name.ts";
import { findStep } from "../core/undo.ts";
import { FootholdError } from "../core/errors.ts";
import { thrownText } from "../core/storable-text.ts";
import type { DestinationOutline, SendStepOutline } from "../core/outline.ts";
import type { CaseType } from "../define/case-type.ts";
import { parseDuration, type Duration } from "../define/duration.ts";
import { FAILPOINTS, type Failpoint } from "../engine/failpoints.ts";
import { expectedOf, judgeRun, type Expected, type Judgement } from "./judge-run.ts";
import type { AccessHow, PlannedFault, RefusedHow } from "./planned-fault.ts";
import { refuseFaulty } from "./rehearsal-options.ts";
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

/** One run of a rehearsal, as it begins. */
export interface RehearsalProgress {
  /** From 1. */
  readonly run: number;
  /** Of how many; null until the first runs have shown what there is to try. */
  readonly of: number | null;
  /** In words: "crash duringSend of pay". */
  readonly what: string;
}

/** A rehearsal that the command line can run. */
export interface Rehearsal {
  readonly kind: "rehearsal";
  /** Rehearses everything, and tells of each run. Throws what {@link rehearse} throws. */
  run(onRun?: (progress: RehearsalProgress) => void): Promise<RehearsalReport>;
}

/** For the file of `foothold rehearse`: export what this gives by default, or a list of them. */
export function defineRehearsal<Input>(
  caseType: CaseType<Input>,
  options: RehearsalOptions<Input>,
): Rehearsal {
  return { kind: "rehearsal", run: (onRun) => rehearseTelling(caseType, options, onRun) };
}

/** Runs of one rehearsal. */
const RUNS_MAX = 1_000;
/** Characters of what a function of the author threw. */
const WHY_CHARS_MAX = 500;

/**
 * Rehearses a case type. Throws `INVALID_REQUEST` for options that are none, when the case does not reach its end without
 * any fault, and with its cause when `input`, `prepare`, `effects` or `finish` throw; and what the definition throws.
 */
export async function rehearse<Input>(
  caseType: CaseType<Input>,
  options: RehearsalOptions<Input>,
): Promise<RehearsalReport> {
  return rehearseTelling(caseType, options, undefined);
}

async function rehearseTelling<Input>(
  caseType: CaseType<Input>,
  options: RehearsalOptions<Input>,
  onRun: ((progress: RehearsalProgress) => void) | undefined,
): Promise<RehearsalReport> {
  // Whoever wrote these in JavaScript may have left them out.
  const given: Partial<RehearsalOptions<Input>> | undefined = options;
  try {
    refuseFaulty(caseType, options);
    return await new Rehearsing(caseType, options, onRun).go();
  } finally {
    if (typeof given?.finish === "function") await own("finish", given.finish);
  }
}

/** Calls a function of the rehearsal's author. Throws `INVALID_REQUEST` that names it, with what it threw. */
async function own<Value>(name: string, call: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    const why = thrownText(error, WHY_CHARS_MAX);
    throw new FootholdError("INVALID_REQUEST", `${name} of the rehearsal threw ${why}.`, { cause: error });
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
  readonly #onRun: (progress: RehearsalProgress) => void;
  readonly #findings = new Map<string, Finding>();
  #expected: readonly Expected[] = [];
  #runs = 0;
  #runsInAll: number | null = null;

  constructor(
    caseType: CaseType<Input>,
    options: RehearsalOptions<Input>,
    onRun: ((progress: RehearsalProgress) => void) | undefined,
  ) {
    this.#options = options;
    this.#onRun = onRun ?? (() => undefined);
    this.#rehearsed = givenOf(caseType, options);
    this.#children = (options.children ?? []).map((child) => givenOf(child.of, child));
  }

  async go(): Promise<RehearsalReport> {
    const first = await this.#runWithoutFault();
    const second = await this.#runWithoutFault();
    const all = [this.#rehearsed, ...this.#children];
    const sends = all.flatMap((given) => sendsOf(given, this.#prefixOf(given), first));
    refuseUnlike(sends, first, second);
    this.#expected = sends.map(({ name }) => expectedOf(name, first, second));
    const planned = sends.map((send) => ({ send, faults: faultsOf(send, first) }));
    const tries = planned.flatMap(({ faults }) => faults.map(({ times }) => times));
    const deliveries = all.map(({ events }) => events.length * (events.length < 2 ? 2 : 3));
    this.#runsInAll = boundedRuns(
      [this.#runs, ...tries, ...deliveries].reduce((sum, count) => sum + count, 0),
    );
    const steps: RehearsedStep[] = [];
    for (const { send, faults } of planned) steps.push(await this.#rehearseStep(send, faults));
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

  async #runWithoutFault(): Promise<Observation> {
    const seen = await this.#run(null, { kind: "inOrder" }, null);
    if (seen.state === "done") return seen;
    throw new FootholdError(
      "INVALID_REQUEST",
      `The rehearsed case of ${this.#rehearsed.caseType.outline.name} does not reach its end without any fault: ` +
        `${seen.standing.replace(/\.$/, "")}. Give the input, approvals and events that take it there.\n` +
        seen.trace.map(({ text }) => `- ${text}`).join("\n"),
    );
  }

  async #rehearseStep(
    { given, name, outline }: RehearsedSend,
    faults: readonly FaultPlaces[],
  ): Promise<RehearsedStep> {
    const cells: RehearsalCell<StepFault>[] = [];
    const place = { step: outline.name, caseType: given.caseType.outline.name };
    for (const { fault, planned, times } of faults) {
      for (let nth = 1; nth <= times; nth += 1) {
        cells.push(await this.#tryOn({ name, fault }, { ...planned, ...place, nth }));
      }
    }
    const expected = this.#expected.find((one) => one.step === name);
    const judgedBy = expected?.judgedBy ?? "nothing";
    const isCounted = judgedBy === "effects" || judgedBy === "ledger";
    const { destination } = outline;
    return {
      step: name,
      destination: destination.name,
      repeatSafety: destination.repeatSafety.by,
      judgedBy,
      effects: isCounted ? (expected?.count ?? null) : null,
      cells: worstOfEach(cells),
    };
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
    const seen = await this.#run(fault, { kind: "inOrder" }, place);
    return this.#judge(place, seen);
  }

  async #tryDelivery(place: Place<EventFault>, delivery: Delivery): Promise<RehearsalCell<EventFault>> {
    return this.#judge(place, await this.#run(null, delivery, place));
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

  async #run(
    fault: PlannedFault | null,
    delivery: Delivery,
    place: Place<string> | null,
  ): Promise<Observation> {
    const {
      input,
      effects,
      correct = null,
      prepare,
      startAt = START_AT,
      patience = PATIENCE_MS,
    } = this.#options;
    this.#runs += 1;
    const what = place === null ? "without any fault" : `${place.fault} of ${place.name}`;
    this.#onRun({ run: this.#runs, of: this.#runsInAll, what });
    if (prepare !== undefined) await own("prepare", prepare);
    return runOnce({
      rehearsed: this.#rehearsed,
      children: this.#children,
      input: isInputFunction(input) ? await own("input", () => input(this.#runs)) : input,
      effects: effects === undefined ? null : (caseId) => own("effects", () => effects(caseId)),
      correct,
      fault,
      delivery,
      startAt,
      patienceMs: parseDuration(patience),
    });
  }
}

/** Throws `INVALID_REQUEST` above {@link RUNS_MAX}. */
function boundedRuns(count: number): number {
  if (count <= RUNS_MAX) return count;
  throw new FootholdError(
    "INVALID_REQUEST",
    `The rehearsal would take ${count} runs, more than ${RUNS_MAX}: give it an ` +
      "input with fewer items and children, or split the case type.",
  );
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

/** Throws `INVALID_REQUEST` where `effects` lists what is not of the case that it was asked about. */
function refuseUnlike(sends: readonly RehearsedSend[], first: Observation, second: Observation): void {
  for (const { name } of sends) {
    const [once, again] = [listedOf(first, name), listedOf(second, name)];
    if (once === again) continue;
    throw new FootholdError(
      "INVALID_REQUEST",
      `effects lists ${once} of ${name} after the first run and ${again} after the second, and neither met a fault. It must ` +
        "list those of the case that it is asked about, and no others.",
    );
  }
}

function listedOf({ listed }: Observation, step: string): number {
  return listed?.filter((one) => one.step === step).length ?? 0;
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

function faultsOf({ given, name, outline }: RehearsedSend, first: Observation): readonly FaultPlaces[] {
  const isCorrected = Object.hasOwn(given.corrected, nameWithoutKey(outline.name));
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
    ...refusalsOf(outline.destination, isCorrected).map((fault) => ({ ...fault, times: calls.length })),
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
