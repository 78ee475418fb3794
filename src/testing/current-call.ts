/** Which call of which step is under way: how an effect is known to belong to a case, a step and an intent. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Idempotency } from "../define/destination.ts";
import type { CallInTime, VirtualTime } from "./virtual-time.ts";

/** A call of one of the user's functions. */
export interface UserCall {
  readonly kind: "run" | "check" | "probe" | "refresh";
  readonly caseId: string;
  readonly step: string;
  /** The key the engine gave, whatever the function does with it; null where it gave none. */
  readonly idempotencyKey: string | null;
  /** 0 where it is no attempt. */
  readonly attempt: number;
}

/** An effect that somebody saw happen. */
export interface SeenEffect {
  readonly call: UserCall;
  readonly destination: string;
  readonly id: string;
}

/** A call, and the world it happens in. */
export interface CurrentCall {
  readonly call: UserCall;
  readonly time: VirtualTime;
  readonly inTime: CallInTime;
  /** Tells the world what happened outside. */
  readonly tell: (what: string) => void;
  readonly onEffect: (effect: SeenEffect) => void;
  /** True when somebody else is to come first to a destination of this kind. */
  readonly meetsRival: (by: Idempotency["by"]) => boolean;
  /** True when the world keeps the request on its way, and calls `arrive` later; its sender loses the connection. */
  readonly holdsRequest: (arrive: () => unknown) => boolean;
}

const current = new AsyncLocalStorage<CurrentCall>();

/** The call that this code runs in; null outside of a test world. */
export function currentCall(): CurrentCall | null {
  return current.getStore() ?? null;
}

/** Runs `work` as part of a call. */
export function within<T>(call: CurrentCall, work: () => T): T {
  return current.run(call, work);
}

/**
 * Tells the rehearsal that an effect really happened, from a stand-in of your own. `id` tells effects apart for people.
 * Outside of a test world it does nothing.
 */
export function noteEffect(destination: string, id: string): void {
  const one = currentCall();
  if (one === null) return;
  one.tell(`${destination} executes ${id}`);
  one.onEffect({ call: one.call, destination, id });
}
