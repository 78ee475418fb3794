/** What the store keeps of destinations and of the access to them: what all workers together know, and who sends there. */

import type { DestinationState } from "../core/in-flight.ts";
import type { CredentialState } from "../core/refresh.ts";

/** A destination under one credential. */
export interface DestinationId {
  readonly destination: string;
  readonly credentialId: string;
}

/** What is stored of a destination. One of which nothing is stored is as at the start. */
export interface StoredDestination extends DestinationId {
  readonly state: DestinationState;
  readonly changedAt: number;
}

/** A worker that is alive and sends. */
export interface Sender {
  readonly holderId: string;
  readonly destinations: readonly string[];
}

/** What is known of destinations. */
export interface DestinationsReply {
  readonly now: number;
  /** At most 1,000, by name. */
  readonly destinations: readonly StoredDestination[];
  /** Workers that are not marked as ended and may send anywhere, by holder id. */
  readonly senders: readonly Sender[];
}

/** What becomes known of a destination; the state as it was given, or null for none = nothing is written. */
export interface DestinationChange<Reply> {
  readonly state: DestinationState | null;
  readonly reply: Reply;
}

/** Which held back cases to make due sooner. */
export interface HastenRequest extends DestinationId {
  /** At most so many, those that are due first. */
  readonly count: number;
  /** The first is due at once, each next one so much later, in whole ms; none later than it was. */
  readonly gapMs: number;
}

/** How many cases are held back at a destination. */
export interface HeldCount extends DestinationId {
  readonly cases: number;
  /** When the first of them is looked at again. */
  readonly nextDueAt: number;
}

/** The longest that a case is held back before it is looked at again, in ms. */
export const HELD_MS_MAX = 900_000;

/** Decides what is kept of a credential, and what the caller is told. */
export type CredentialChange<Reply> = (
  stored: CredentialState | null,
  now: number,
) => { readonly state: CredentialState | null; readonly reply: Reply };

/** The part of a store that is about destinations. */
export interface DestinationStore {
  /** What is known of every destination, and who sends there. */
  readDestinations(): Promise<DestinationsReply>;
  /** Changes what is known of one destination, under its lock; `decide` is pure and may be asked again. */
  changeDestination<Reply>(
    id: DestinationId,
    decide: (state: DestinationState | null, now: number) => DestinationChange<Reply>,
  ): Promise<Reply>;
  /** Deletes what is known of destinations that nobody has changed since. Returns how many; at most 1,000 a call. */
  forgetDestinations(changedBefore: number): Promise<number>;
  /** Makes cases due sooner that are held back at a destination or wait for access to it. Returns how many. */
  hastenHeld(request: HastenRequest): Promise<number>;
  /** How many cases are held back or wait for access, by destination and credential; none with 0. Looks at 100,000 at most. */
  countHeld(): Promise<readonly HeldCount[]>;

  /**
   * Changes what is kept of a credential, under its lock, whatever process asks. `decide` is pure, sees what is kept (null =
   * nothing) and the store's time, and gives what to keep instead; null = leave it.
   */
  changeCredential<Reply>(credentialId: string, decide: CredentialChange<Reply>): Promise<Reply>;
}
