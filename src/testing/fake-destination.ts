/**
 * Destinations in this process, with a ledger of what they executed: call one from `run` and `check` instead of the
 * real system. They deduplicate, can be asked, or can do neither, as the real one would; and they can be made to fail.
 */

import { FootholdError } from "../core/errors.ts";
import { canonicalJson, readJson, type Json } from "../core/json.ts";
import { defineDestination, type Destination, type DestinationOptions } from "../define/destination.ts";
import { parseDuration, type Duration } from "../define/duration.ts";
import { ResponseError } from "../triage/response.ts";
import { currentCall } from "./current-call.ts";

/** Characters of a request that a fake destination takes. */
const REQUEST_CHARS_MAX = 1_000_000;

/** What a fake destination is: the real one's definition, and what it answers. */
export interface FakeDestinationOptions<Request, Result> extends DestinationOptions {
  /** What it answers to what it executes. Default: `{ id }`, such as `{ id: "erp-1" }`. */
  readonly execute?: (request: Request, id: string) => Result;
}

/** What goes with a request. */
export interface SendWith {
  /** Left out, a destination that deduplicates cannot know the request again. */
  readonly idempotencyKey?: string;
  /** Left out, the request is not stopped by anything. */
  readonly signal?: AbortSignal;
}

/** Something that was really executed. */
export interface LedgerEntry<Request, Result> {
  readonly id: string;
  /** The key that was sent; null = none was. */
  readonly key: string | null;
  readonly request: Request;
  readonly result: Result;
  /** Virtual time, epoch ms; null outside of a test world. */
  readonly at: number | null;
  /** Null outside of a test world. */
  readonly caseId: string | null;
  readonly step: string | null;
}

/** A destination that is none. */
export interface FakeDestination<Request, Result> {
  readonly name: string;
  /** For the step's `to`. */
  readonly destination: Destination;
  /** Every effect, oldest first. */
  readonly ledger: readonly LedgerEntry<Request, Result>[];
  /** Executes the request, or answers as before where it knows the key. */
  send(request: Request, options?: SendWith): Promise<Result>;
  /** What was executed with this key; null = nothing. For `check`. */
  find(
    idempotencyKey: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<LedgerEntry<Request, Result> | null>;
  /** The next `times` requests are executed, and their answers get lost. */
  willLoseAnswers(times?: number): void;
  /** The next `times` requests meet a closed port: nothing is executed. */
  willRefuse(times?: number): void;
  /** The next `times` requests are answered with this status and not executed: 401, 422, 429, 503 or another. */
  willAnswer(status: number, options?: AnswerOptions): void;
  /** The next `times` requests are executed after this time. */
  willBeSlow(delay: Duration, times?: number): void;
  /** Forgets everything: ledger and what was to go wrong. */
  reset(): void;
}

/** An answer that is none. */
export interface AnswerOptions {
  readonly times?: number;
  /** For 429 and 503: the header `retry-after`. */
  readonly retryAfter?: Duration;
  /** Any JSON, such as `{ errors: [{ field: "amount", message: "too big" }] }`. */
  readonly body?: Json;
}

type Trouble =
  | { readonly kind: "loseAnswer" }
  | { readonly kind: "refuse" }
  | { readonly kind: "answer"; readonly error: (url: string) => ResponseError }
  | { readonly kind: "slow"; readonly delayMs: number };

/** Makes a fake destination of the kind that `idempotency` says. */
export function fakeDestination<Request = Json, Result = { readonly id: string }>(
  name: string,
  options: FakeDestinationOptions<Request, Result>,
): FakeDestination<Request, Result> {
  return new Fake(name, options);
}

class Fake<Request, Result> implements FakeDestination<Request, Result> {
  readonly name: string;
  readonly destination: Destination;
  readonly #execute: ((request: Request, id: string) => Result) | null;
  readonly #windowMs: number | null;
  readonly #troubles: Trouble[] = [];
  #ledger: LedgerEntry<Request, Result>[] = [];
  #count = 0;

  constructor(name: string, { execute, ...options }: FakeDestinationOptions<Request, Result>) {
    this.name = name;
    this.destination = defineDestination(name, options);
    this.#execute = execute ?? null;
    const { idempotency } = options;
    this.#windowMs = idempotency.by === "key" ? parseDuration(idempotency.window) : null;
  }

  get ledger(): readonly LedgerEntry<Request, Result>[] {
    return this.#ledger;
  }

  async send(request: Request, { idempotencyKey, signal }: SendWith = {}): Promise<Result> {
    signal?.throwIfAborted();
    const trouble = this.#troubles.shift() ?? null;
    if (trouble?.kind === "refuse") throw brokenConnection("connect", "ECONNREFUSED");
    if (trouble?.kind === "answer") throw trouble.error(this.name);
    if (trouble?.kind === "slow") await pass(trouble.delayMs, signal);
    const answer = this.#arrive(request, idempotencyKey ?? null);
    if (trouble?.kind === "loseAnswer") throw brokenConnection("read", "ECONNRESET");
    return answer;
  }

  async find(
    idempotencyKey: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<LedgerEntry<Request, Result> | null> {
    signal?.throwIfAborted();
    return Promise.resolve(this.#ledger.find(({ key }) => key === idempotencyKey) ?? null);
  }

  willLoseAnswers(times = 1): void {
    this.#expect(times, { kind: "loseAnswer" });
  }

  willRefuse(times = 1): void {
    this.#expect(times, { kind: "refuse" });
  }

  willAnswer(status: number, { times = 1, retryAfter, body }: AnswerOptions = {}): void {
    const headers: Record<string, string> =
      retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(parseDuration(retryAfter) / 1_000)) };
    const text = body === undefined ? "" : JSON.stringify(body);
    this.#expect(times, { kind: "answer", error: (url) => new ResponseError(status, url, headers, text) });
  }

  willBeSlow(delay: Duration, times = 1): void {
    this.#expect(times, { kind: "slow", delayMs: parseDuration(delay) });
  }

  reset(): void {
    this.#ledger = [];
    this.#troubles.length = 0;
  }

  #expect(times: number, trouble: Trouble): void {
    this.#troubles.push(...Array.from({ length: times }, () => trouble));
  }

  #arrive(request: Request, key: string | null): Result {
    const now = currentCall()?.time.now ?? null;
    const known = this.#known(key, now);
    if (known !== null) {
      if (textOf(this.name, known.request) !== textOf(this.name, request)) {
        throw new ResponseError(422, this.name, {}, '{"message":"this key was used for another request"}');
      }
      currentCall()?.tell(`${this.name} knows the key and answers as before (${known.id})`);
      return known.result;
    }
    return this.#effect(request, key, now);
  }

  /** Within its window a key is known again. */
  #known(key: string | null, now: number | null): LedgerEntry<Request, Result> | null {
    const windowMs = this.#windowMs;
    if (windowMs === null || key === null) return null;
    const found = this.#ledger.findLast((one) => one.key === key) ?? null;
    const since = found?.at ?? null;
    const isOver = since !== null && now !== null && now - since > windowMs;
    return isOver ? null : found;
  }

  #effect(request: Request, key: string | null, at: number | null): Result {
    const current = currentCall();
    const id = `${this.name}-${(this.#count += 1)}`;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `execute`, Result is the default { id }
    const result = this.#execute === null ? ({ id } as Result) : this.#execute(request, id);
    const { caseId = null, step = null } = current?.call ?? {};
    this.#ledger.push({ id, key, request, result, at, caseId, step });
    if (current !== null) {
      current.tell(`${this.name} executes it: ${id}${key === null ? ", sent without a key" : ""}`);
      current.onEffect({ call: current.call, destination: this.name, id });
    }
    return result;
  }
}

function textOf(name: string, request: unknown): string {
  const read = readJson(request, REQUEST_CHARS_MAX);
  if (read.kind === "json") return canonicalJson(read.value);
  throw new FootholdError("INVALID_REQUEST", `The request to ${name} is no JSON: ${read.why}.`);
}

/** Lets virtual time pass in a test world; elsewhere nothing is slow. */
async function pass(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const current = currentCall();
  if (current === null) return;
  await current.inTime.idle(
    () =>
      new Promise<void>((resolve, reject) => {
        const takeBack = current.time.after(delayMs, () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        });
        const onAbort = (): void => {
          takeBack();
          reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
        };
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
  );
}

function brokenConnection(syscall: string, code: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}
