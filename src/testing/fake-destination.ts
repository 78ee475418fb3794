/**
 * Destinations in this process, with a ledger of what they executed: call one from `run` and `check` instead of the
 * real system. Each keeps the promise of its kind, as the real one would; and they can be made to fail.
 */

import type { Json } from "../core/json.ts";
import type { Transaction } from "../core/ports.ts";
import { defineDestination, type Destination, type DestinationOptions } from "../define/destination.ts";
import { parseDuration, type Duration } from "../define/duration.ts";
import { currentCall, within, type CurrentCall } from "./current-call.ts";
import { answered, rulesOf, unfit, type Arriving, type FakeRules } from "./fake-rules.ts";
import { answerTrouble, brokenConnection, pass, type AnswerOptions, type Trouble } from "./fake-trouble.ts";

/** What a fake destination is: the real one's definition, and what it answers. */
export interface FakeDestinationOptions<Request, Result> extends DestinationOptions {
  /** What it answers to what it executes. Default: `{ id }`, such as `{ id: "erp-1" }`. */
  readonly execute?: (request: Request, id: string) => Result;
  /** The natural name of what a request makes, or the record that it writes: needed for `unique` and `if-match`. */
  readonly name?: (request: Request) => string;
}

/** What goes with a request. Give what `run` was given for the kind of destination. */
export interface SendWith {
  /** Left out, a destination that deduplicates cannot know the request again. */
  readonly idempotencyKey?: string;
  /** Kept with the effect, so that a check can tell whether it is what was wanted. */
  readonly fingerprint?: string;
  /** For `if-match`: the version that the write is conditional on. */
  readonly version?: string;
  /** For `fence`. */
  readonly fencingToken?: number;
  /** For `transaction`: what is written waits for the commit that confirms the step. */
  readonly transaction?: Transaction;
  /** Left out, the request is not stopped by anything. */
  readonly signal?: AbortSignal;
}

/** Something that was really executed. */
export interface LedgerEntry<Request, Result> {
  readonly id: string;
  /** The key that was sent; null = none was. */
  readonly key: string | null;
  /** The natural name or record that it is about; null where the destination has no `name`. */
  readonly name: string | null;
  /** As it was sent; empty = none was. Hand it to `happened` in a check. */
  readonly fingerprint: string;
  readonly request: Request;
  readonly result: Result;
  /** Virtual time, epoch ms; null outside of a test world. */
  readonly at: number | null;
  /** Null outside of a test world. */
  readonly caseId: string | null;
  readonly step: string | null;
  /** True once it was removed. */
  readonly isRemoved: boolean;
}

/** A record as it is now. */
export interface FakeRecord<Request> {
  /** Changes with every write. */
  readonly version: string;
  /** What was last written; null = nothing was. */
  readonly value: Request | null;
}

/** What goes with a question. */
export interface AskWith {
  readonly signal?: AbortSignal;
}

/** A destination that is none. */
export interface FakeDestination<Request, Result> {
  readonly name: string;
  /** For the step's `to`. */
  readonly destination: Destination;
  /** Every effect, oldest first. */
  readonly ledger: readonly LedgerEntry<Request, Result>[];
  /**
   * Executes the request, as its kind allows: `key` answers a known key as before; `unique` answers 409 for a name that is
   * taken; `if-match` answers 412 for an old version; `fence` throws `NEWER_TOKEN` for a token that is not above the
   * highest it was shown; `transaction` executes with the commit, or not at all.
   */
  send(request: Request, options?: SendWith): Promise<Result>;
  /** What is there: with this key, or of this name where names are unique; null = nothing. For `check`. */
  find(keyOrName: string, options?: AskWith): Promise<LedgerEntry<Request, Result> | null>;
  /** For `if-match`: the record, and the version that a write is conditional on. */
  read(name: string, options?: AskWith): Promise<FakeRecord<Request>>;
  /** For `fence`: takes no token up to this one any more, and reads back what ran with this key; null = nothing. */
  raise(
    fencingToken: number,
    idempotencyKey: string,
    options?: AskWith,
  ): Promise<LedgerEntry<Request, Result> | null>;
  /** For `unique`, in an undo: takes back what has this name; answers 404 where there is nothing. An effect of its own. */
  remove(name: string, options?: AskWith): Promise<void>;
  /** Somebody else takes the name, where names are unique, or writes the record, where versions are compared. */
  changeByOthers(request: Request): void;
  /** The next `times` requests are executed, and their answers get lost. */
  willLoseAnswers(times?: number): void;
  /** The next `times` requests meet a closed port: nothing is executed. */
  willRefuse(times?: number): void;
  /** The next `times` requests are answered with this status and not executed: 401, 422, 429, 503 or another. */
  willAnswer(status: number, options?: AnswerOptions): void;
  /** The next `times` requests are executed after this time, unless their signal aborts first. */
  willBeSlow(delay: Duration, times?: number): void;
  /** The next `times` requests lose their connection at once and arrive after this time all the same. */
  willArriveLate(delay: Duration, times?: number): void;
  /** Forgets everything: ledger, versions, tokens, and what was to go wrong. */
  reset(): void;
}

/** Makes a fake destination of the kind that `idempotency` says. */
export function fakeDestination<Request = Json, Result = { readonly id: string }>(
  name: string,
  options: FakeDestinationOptions<Request, Result>,
): FakeDestination<Request, Result> {
  return new Fake(name, options);
}

type Held<Request, Result> = {
  -readonly [Field in keyof LedgerEntry<Request, Result>]: LedgerEntry<Request, Result>[Field];
};

/** A request with what the rules look at. */
interface Incoming<Request> extends Arriving {
  readonly request: Request;
  readonly fingerprint: string;
  readonly current: CurrentCall | null;
}

class Fake<Request, Result> implements FakeDestination<Request, Result> {
  readonly name: string;
  readonly destination: Destination;
  readonly #options: FakeDestinationOptions<Request, Result>;
  readonly #troubles: Trouble[] = [];
  #rules: FakeRules<LedgerEntry<Request, Result>>;
  #ledger: Held<Request, Result>[] = [];
  #others: Held<Request, Result>[] = [];
  #count = 0;

  constructor(name: string, options: FakeDestinationOptions<Request, Result>) {
    const { execute: _execute, name: nameOf, ...defined } = options;
    const { by } = options.idempotency;
    if (nameOf === undefined && (by === "unique" || by === "if-match"))
      unfit(`Give the fake destination ${name} a \`name\`: what a request to it is about`);
    this.name = name;
    this.destination = defineDestination(name, defined);
    this.#options = options;
    this.#rules = this.#newRules();
  }

  get ledger(): readonly LedgerEntry<Request, Result>[] {
    return this.#ledger;
  }

  async send(request: Request, options: SendWith = {}): Promise<Result> {
    const { signal, transaction } = options;
    signal?.throwIfAborted();
    const incoming = this.#incoming(request, options);
    if (this.#options.idempotency.by === "transaction") return this.#stage(incoming, transaction);
    if (incoming.current?.meetsRival(this.#options.idempotency.by) === true) this.changeByOthers(request);
    const arrive = (): Result => this.#arrive(incoming);
    if (incoming.current?.holdsRequest(arrive) === true) throw brokenConnection("read");
    return this.#meetTrouble(signal, arrive);
  }

  async find(keyOrName: string, { signal }: AskWith = {}): Promise<LedgerEntry<Request, Result> | null> {
    signal?.throwIfAborted();
    const isNamed = this.#options.idempotency.by === "unique";
    const found = this.#everything().find((one) =>
      isNamed ? one.name === keyOrName && !one.isRemoved : one.key === keyOrName,
    );
    return Promise.resolve(found ?? null);
  }

  async read(name: string, { signal }: AskWith = {}): Promise<FakeRecord<Request>> {
    signal?.throwIfAborted();
    const value = this.#everything().findLast((one) => one.name === name)?.request ?? null;
    return Promise.resolve({ version: this.#rules.versionOf(name), value });
  }

  async raise(
    fencingToken: number,
    idempotencyKey: string,
    { signal }: AskWith = {},
  ): Promise<LedgerEntry<Request, Result> | null> {
    signal?.throwIfAborted();
    this.#rules.raise(fencedNow(), fencingToken);
    return Promise.resolve(this.#ledger.find(({ key }) => key === idempotencyKey) ?? null);
  }

  async remove(name: string, { signal }: AskWith = {}): Promise<void> {
    signal?.throwIfAborted();
    if (this.#options.idempotency.by !== "unique") unfit(`${this.name} has no unique names to free`);
    const current = currentCall();
    await this.#meetTrouble(signal, () => {
      const found = this.#ledger.find((one) => one.name === name && !one.isRemoved);
      if (found === undefined) throw answered(404, this.name, `there is no ${name}`);
      found.isRemoved = true;
      current?.tell(`${this.name} removes ${name}`);
      current?.onEffect({ call: current.call, destination: this.name, id: `${found.id} removed` });
    });
  }

  changeByOthers(request: Request): void {
    const { by } = this.#options.idempotency;
    if (by !== "unique" && by !== "if-match")
      unfit(`${this.name} takes no notice of others: it is repeated by ${by}`);
    const incoming = this.#incoming(request, { fingerprint: OTHERS });
    this.#rules.executed(incoming);
    this.#others.push(this.#entryFor(incoming, `${this.name}-others-${this.#others.length + 1}`));
    incoming.current?.tell(`somebody else is at ${this.name} first: ${incoming.name ?? ""}`);
  }

  willLoseAnswers(times = 1): void {
    this.#expect(times, { kind: "loseAnswer" });
  }

  willRefuse(times = 1): void {
    this.#expect(times, { kind: "refuse" });
  }

  willAnswer(status: number, options: AnswerOptions = {}): void {
    this.#expect(options.times ?? 1, answerTrouble(status, options));
  }

  willBeSlow(delay: Duration, times = 1): void {
    this.#expect(times, { kind: "slow", delayMs: parseDuration(delay) });
  }

  willArriveLate(delay: Duration, times = 1): void {
    this.#expect(times, { kind: "late", delayMs: parseDuration(delay) });
  }

  reset(): void {
    this.#ledger = [];
    this.#others = [];
    this.#rules = this.#newRules();
    this.#troubles.length = 0;
  }

  #newRules(): FakeRules<LedgerEntry<Request, Result>> {
    return rulesOf(this.name, this.#options.idempotency, () => this.#everything());
  }

  #everything(): readonly LedgerEntry<Request, Result>[] {
    return [...this.#ledger, ...this.#others];
  }

  #expect(times: number, trouble: Trouble): void {
    this.#troubles.push(...Array.from({ length: times }, () => trouble));
  }

  #incoming(request: Request, options: SendWith): Incoming<Request> {
    const { idempotencyKey = null, fingerprint = "", version = null, fencingToken = null } = options;
    const current = currentCall();
    return {
      request,
      key: idempotencyKey,
      name: this.#options.name?.(request) ?? null,
      fingerprint,
      version,
      fencingToken,
      fenced: fencedNow(),
      now: current?.time.now ?? null,
      current,
    };
  }

  async #meetTrouble<Answer>(signal: AbortSignal | undefined, arrive: () => Answer): Promise<Answer> {
    const trouble = this.#troubles.shift() ?? null;
    if (trouble?.kind === "refuse") throw brokenConnection("connect");
    if (trouble?.kind === "answer") throw trouble.error(this.name);
    if (trouble?.kind === "late") {
      arriveAfter(trouble.delayMs, arrive);
      throw brokenConnection("read");
    }
    if (trouble?.kind === "slow") await pass(trouble.delayMs, signal);
    const answer = arrive();
    if (trouble?.kind === "loseAnswer") throw brokenConnection("read");
    return answer;
  }

  /** Executed with the commit that confirms the step; its answer is there before. */
  async #stage(incoming: Incoming<Request>, transaction: Transaction | undefined): Promise<Result> {
    if (!canStage(transaction)) {
      return unfit(
        `Give ${this.name} the \`transaction\` that run was given, in a test world or on the memory store`,
      );
    }
    return this.#meetTrouble(undefined, () => {
      const entry = this.#entryFor(incoming, this.#nextId());
      transaction.stage(() => this.#keep(entry, incoming));
      return entry.result;
    });
  }

  #arrive(incoming: Incoming<Request>): Result {
    const arrived = { ...incoming, now: incoming.current?.time.now ?? null };
    const known = this.#rules.receive(arrived);
    if (known !== null) {
      incoming.current?.tell(`${this.name} knows the key and answers as before (${known.id})`);
      return known.result;
    }
    const entry = this.#entryFor(arrived, this.#nextId());
    this.#keep(entry, arrived);
    return entry.result;
  }

  #nextId(): string {
    return `${this.name}-${(this.#count += 1)}`;
  }

  #entryFor(incoming: Incoming<Request>, id: string): Held<Request, Result> {
    const { request, key, name, fingerprint, now, current } = incoming;
    const { execute } = this.#options;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `execute`, Result is the default { id }
    const result = execute === undefined ? ({ id } as Result) : execute(request, id);
    const { caseId = null, step = null } = current?.call ?? {};
    return { id, key, name, fingerprint, request, result, at: now, caseId, step, isRemoved: false };
  }

  #keep(entry: Held<Request, Result>, incoming: Incoming<Request>): void {
    this.#ledger.push(entry);
    this.#rules.executed(incoming);
    const { current, key } = incoming;
    if (current === null) return;
    current.tell(`${this.name} executes it: ${entry.id}${key === null ? ", sent without a key" : ""}`);
    current.onEffect({ call: current.call, destination: this.name, id: entry.id });
  }
}

/** Stands for the fingerprint of what others did. */
const OTHERS = "of somebody else";

/** The memory store's own transactions can hold an effect back until the commit. */
interface Staging {
  stage(effect: () => void): void;
}

function canStage(transaction: Transaction | undefined): transaction is Transaction & Staging {
  return transaction !== undefined && "stage" in transaction && typeof transaction.stage === "function";
}

/** A fence stands around a case: its tokens are compared with each other only. */
function fencedNow(): string {
  return currentCall()?.call.caseId ?? "";
}

/** Nobody waits for it any more; what it meets when it arrives is nobody's business either. */
function arriveAfter(delayMs: number, arrive: () => unknown): void {
  const current = currentCall();
  const late = (): void => {
    try {
      arrive();
    } catch (error) {
      current?.tell(`a late request is refused: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  if (current === null) late();
  else current.time.after(delayMs, () => within(current, late));
}
