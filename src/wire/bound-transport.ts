/**
 * A way to send that belongs to one attempt: bound to it without async context, ended with it, and able to refuse the
 * next request. The channels only observe; this can stop.
 */

import { FootholdError } from "../core/errors.ts";
import type { AttemptRecord, Refusal, RefusalReason } from "./attempt-record.ts";
import { settingOf } from "./clients.ts";
import { requestFacts } from "./request-facts.ts";
import type { RequestBook } from "./request-book.ts";
import { readerOf } from "./undici-channels.ts";
import type { DispatcherLike, UndiciGuard } from "./undici-guard.ts";

/** The `fetch` of this Node. */
type Fetch = typeof globalThis.fetch;

/** Ways to send that belong to one attempt. */
export interface BoundTransport {
  /**
   * `fetch` as this process has it, for this attempt alone: it carries the attempt's signal. Rejects as fetch does,
   * with a REQUEST_REFUSED as `cause`, where a request may not be sent.
   */
  readonly fetch: Fetch;
  /**
   * The same for a dispatcher of undici, of whatever version and settings: give what comes back to the client, or to
   * RetryAgent. A request that may not be sent fails with REQUEST_REFUSED.
   */
  readonly dispatcher: <D extends DispatcherLike>(over: D) => D;
}

/** What a bound transport is made of. */
export interface TransportParts {
  readonly book: RequestBook;
  readonly guard: UndiciGuard;
  readonly record: AttemptRecord;
  readonly stop: TransportStop;
}

/**
 * Stops what was begun through a transport: with the attempt's signal, or once the attempt has ended. Made only when
 * something is begun, because most steps never use it.
 */
export class TransportStop {
  readonly #attempt: AbortSignal;
  #made: AbortController | null = null;
  #isOver = false;

  constructor(attempt: AbortSignal) {
    this.#attempt = attempt;
  }

  /** Aborts when nothing more may be sent. */
  get signal(): AbortSignal {
    if (this.#made === null) {
      this.#made = new AbortController();
      if (this.#isOver) this.#made.abort(OVER);
      else if (this.#attempt.aborted) this.#onAbort();
      else this.#attempt.addEventListener("abort", this.#onAbort, { once: true });
    }
    return this.#made.signal;
  }

  readonly #onAbort = (): void => this.#made?.abort(this.#attempt.reason);

  /** The attempt has ended. */
  end(): void {
    this.#isOver = true;
    this.#attempt.removeEventListener("abort", this.#onAbort);
    this.#made?.abort(OVER);
  }
}

const OVER = new Error("the attempt has ended");

/** Binds. */
export function bindTransport(parts: TransportParts): BoundTransport {
  let aborts: Aborts | null = null;
  return {
    fetch: (input, init) => boundFetch(parts, input, init),
    dispatcher: (over) => {
      parts.guard.guard(over);
      const stopping = (aborts ??= new Aborts(parts.stop.signal));
      return withDispatch(over, (options, handler) =>
        dispatchBound(parts, over, options, stopping.carried(handler)),
      );
    },
  };
}

async function boundFetch(
  parts: TransportParts,
  ...[input, init]: Parameters<Fetch>
): Promise<Awaited<ReturnType<Fetch>>> {
  const { book, record, stop } = parts;
  const own = init?.signal ?? (input instanceof Request ? input.signal : null);
  const over: DispatcherLike = init?.dispatcher ?? globalDispatcher();
  const dispatcher = withDispatch(over, (options, handler) => dispatchBound(parts, over, options, handler));
  const { signal: stopped } = stop;
  const bound = { ...init, signal: own === null ? stopped : AbortSignal.any([own, stopped]), dispatcher };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a dispatcher of the version that fetch itself has
  return book.runIn(record, () => globalThis.fetch(input, bound as RequestInit));
}

function dispatchBound(
  { book, record }: TransportParts,
  over: DispatcherLike,
  options: object,
  handler: object,
): boolean {
  const refusal = record.refuse(factsOf(options));
  if (refusal === null) return book.runIn(record, () => record.bound(() => over.dispatch(options, handler)));
  return fail(handler, refusedError(refusal));
}

/** As undici tells a handler that its request could not be dispatched. */
function fail(handler: object, error: FootholdError): boolean {
  if ("onError" in handler && typeof handler.onError === "function") {
    Reflect.apply(handler.onError, handler, [error]);
    return false;
  }
  throw error;
}

const WHY: Readonly<Record<RefusalReason, string>> = {
  over: "its attempt is over, or was stopped",
  limit: "the same request was already sent as often as this step may send it in one round",
  notRepeatable:
    "the same request may have been executed already, and the destination cannot tell a repeat from a second order",
  newKey:
    "the same request may have been executed already under another idempotency key, so this one could be executed beside it",
};

/** The error that stands for a request that was not sent. */
export function refusedError(refusal: Refusal): FootholdError {
  const { why, method, path, client } = refusal;
  const who = client === null ? "The client" : client;
  return new FootholdError(
    "REQUEST_REFUSED",
    `${method} ${path} was not sent: ${WHY[why]}. ${adviceFor(refusal, who)}`,
    {
      details: { why, client, setting: settingOf(client) },
    },
  );
}

function adviceFor({ why, client }: Refusal, who: string): string {
  switch (why) {
    case "over":
      return "Await every request inside run.";
    case "limit":
    case "notRepeatable":
      return `${who} repeats requests by itself; turn that off: ${settingOf(client)}.`;
    case "newKey":
      return `${who} makes a key of its own; give it the step's idempotencyKey.`;
  }
}

function factsOf(options: object): ReturnType<typeof requestFacts> {
  const { method, origin, path, headers }: Readonly<Record<string, unknown>> = { ...options };
  return requestFacts({
    method: typeof method === "string" ? method : "GET",
    origin:
      origin instanceof URL ? origin.origin : typeof origin === "string" ? origin.replace(/\/$/, "") : null,
    path: typeof path === "string" ? path : "/",
    header: readerOf(headers),
  });
}

/** The same dispatcher in everything but how it dispatches; undici composes its own in this way. */
function withDispatch<D extends DispatcherLike>(over: D, dispatch: DispatcherLike["dispatch"]): D {
  return new Proxy(over, {
    get: (target, name) => {
      if (name === "dispatch") return dispatch;
      const value: unknown = Reflect.get(target, name, target);
      // Its private parts are reachable only through itself.
      return typeof value === "function"
        ? (...call: unknown[]): unknown => Reflect.apply(value, target, call)
        : value;
    },
  });
}

/** The dispatcher that `fetch` uses by itself. */
function globalDispatcher(): DispatcherLike {
  // Node loads its own copy of undici, and with it the dispatcher, when one of its classes is first asked for.
  void globalThis.Headers;
  for (const version of [1, 2]) {
    const found: unknown = Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`));
    if (isDispatcher(found)) return found;
  }
  throw new FootholdError(
    "INVARIANT_BROKEN",
    "This Node has no dispatcher for fetch; use the global fetch instead.",
  );
}

function isDispatcher(value: unknown): value is DispatcherLike {
  return (
    typeof value === "object" && value !== null && "dispatch" in value && typeof value.dispatch === "function"
  );
}

/** Aborts what runs through a dispatcher when the attempt's signal does; one listener for all of it. */
class Aborts {
  readonly #signal: AbortSignal;
  readonly #running = new Set<(reason: unknown) => void>();
  #isFollowing = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The handler, told of the abort in the way in which undici lets one abort: older and newer handlers differ. */
  carried(handler: object): object {
    let abort: ((reason: unknown) => void) | null = null;
    const begin = (stop: (reason: unknown) => void): void => {
      abort = stop;
      this.#add(stop);
    };
    const end = (): void => {
      if (abort !== null) this.#running.delete(abort);
    };
    return new Proxy(handler, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...parameters: unknown[]): unknown => {
          if (BEGINS.has(name)) begin(stopOf(parameters[0]));
          else if (ENDS.has(name)) end();
          return Reflect.apply(value, target, parameters);
        };
      },
    });
  }

  #add(stop: (reason: unknown) => void): void {
    this.#running.add(stop);
    if (this.#signal.aborted) stop(this.#signal.reason);
    else if (!this.#isFollowing) {
      this.#isFollowing = true;
      const stopAll = (): void => {
        for (const one of this.#running) one(this.#signal.reason);
        this.#running.clear();
      };
      this.#signal.addEventListener("abort", stopAll, { once: true });
    }
  }
}

const BEGINS: ReadonlySet<string | symbol> = new Set(["onConnect", "onRequestStart"]);
const ENDS: ReadonlySet<string | symbol> = new Set([
  "onComplete",
  "onError",
  "onResponseEnd",
  "onResponseError",
]);

/** `onConnect` is given a function, `onRequestStart` a controller. */
function stopOf(given: unknown): (reason: unknown) => void {
  if (typeof given === "function") return (reason) => void Reflect.apply(given, undefined, [reason]);
  return (reason) => {
    if (
      typeof given === "object" &&
      given !== null &&
      "abort" in given &&
      typeof given.abort === "function"
    ) {
      Reflect.apply(given.abort, given, [reason]);
    }
  };
}
