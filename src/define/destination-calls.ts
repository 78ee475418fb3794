/** What an author writes about a destination beside its steps: how access is had anew, and how it is tried. */

import type { MaskedPath } from "../core/masked-values.ts";

/** The part of a dispatcher of undici that matters here; of any version. */
export interface StepDispatcher {
  /** Sends a request, as undici's dispatchers do. Throws where the meter refuses it. */
  dispatch(options: object, handler: object): boolean;
}

/** What such a function is given. */
export interface CallContext {
  /** Names the account that is used. */
  readonly credentialId: string;
  /** Aborts when it takes too long, and on a forced stop. */
  readonly signal: AbortSignal;
  /** `fetch` for this call alone: what it sends is counted, whatever queue it goes through, and carries the signal. */
  readonly fetch: typeof globalThis.fetch;
  /** The same for a dispatcher of undici. */
  readonly dispatcher: <Dispatcher extends StepDispatcher>(over: Dispatcher) => Dispatcher;
}

/** What a destination has beside its outline. */
export interface DestinationCalls {
  /** How often its client sends one request by itself, the first included; null = nothing is said. */
  readonly clientTries: number | null;
  /** Makes the credential usable again; null = only people can. What it gives is not looked at. */
  readonly refresh: ((context: CallContext) => Promise<unknown>) | null;
  /** Asks the destination for anything that changes nothing; null = nothing is known that could be asked. */
  readonly ping: ((context: CallContext) => Promise<unknown>) | null;
  /** What people see as a mark of what is sent there, and of what comes of it. */
  readonly masked: readonly MaskedPath[];
}
