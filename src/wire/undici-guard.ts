/**
 * Keeps undici's own retries and queues in the context of whoever made the request. RetryAgent and the retry
 * interceptor send again in the context of whoever opened the connection, and a Pool with few connections sends what
 * waits in the context of whoever was served before. The one method through which all of them go is wrapped, for each
 * copy of undici whose dispatcher was given to a step.
 */

import type { AttemptRecord } from "./attempt-record.ts";
import type { RequestBook } from "./request-book.ts";

/** The part of an undici dispatcher that is called. */
export interface DispatcherLike {
  dispatch(options: object, handler: object): boolean;
}

type Dispatch = DispatcherLike["dispatch"];

/** How far a prototype chain is followed. */
const CHAIN_MAX = 16;

/** The guards of a process. */
export class UndiciGuard {
  readonly #book: RequestBook;
  /**
   * Whose request it is, from its first dispatch on, by its handler and by its options: a retry comes with the same
   * handler, and what waited in a queue with the same options.
   */
  readonly #owners = new WeakMap<object, AttemptRecord>();
  readonly #undo = new Map<object, () => void>();

  constructor(book: RequestBook) {
    this.#book = book;
  }

  /** Guards the copy of undici that a dispatcher comes from; once. */
  guard(dispatcher: object): void {
    const base = dispatcherBase(dispatcher);
    if (base === null || this.#undo.has(base)) return;
    const original = base.dispatch;
    const book = this.#book;
    const owners = this.#owners;
    const guarded: Dispatch = function dispatch(this: DispatcherLike, options, handler) {
      const owner = ownerIn(owners, handler) ?? ownerIn(owners, options);
      if (owner !== undefined) return book.runIn(owner, () => original.call(this, options, handler));
      const { current } = book;
      if (current === undefined || !isObject(handler)) return original.call(this, options, handler);
      // A copy is nobody else's: the same options may be given with every request.
      const own = { ...options };
      owners.set(own, current);
      owners.set(handler, current);
      return original.call(this, own, handler);
    };
    base.dispatch = guarded;
    this.#undo.set(base, () => {
      if (base.dispatch === guarded) base.dispatch = original;
    });
  }

  /** Takes every guard back. */
  release(): void {
    for (const undo of this.#undo.values()) undo();
    this.#undo.clear();
  }
}

function ownerIn(owners: WeakMap<object, AttemptRecord>, key: unknown): AttemptRecord | undefined {
  return isObject(key) ? owners.get(key) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The class that Client, Pool and Agent of one copy share: the last in the chain whose methods close and dispatch. */
function dispatcherBase(dispatcher: object): { dispatch: Dispatch } | null {
  let found: { dispatch: Dispatch } | null = null;
  let prototype: unknown = dispatcher;
  for (let depth = 0; depth < CHAIN_MAX && typeof prototype === "object" && prototype !== null; depth += 1) {
    // The abstract class below it has a `compose` and dispatches nothing.
    if (Object.hasOwn(prototype, "compose")) break;
    if (Object.hasOwn(prototype, "dispatch") && "dispatch" in prototype) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- asked in the line above
      found = prototype as { dispatch: Dispatch };
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return found;
}
