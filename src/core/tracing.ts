/** What traces are told of: pieces of work as they happen. Whoever follows them changes nothing of what they do. */

/** What a piece of work is part of. All work of one case, or of one event, belongs together, whoever does it and when. */
export type TracedSubject =
  | { readonly kind: "case"; readonly caseId: string }
  | { readonly kind: "event"; readonly eventId: string }
  /** A request from outside: part of whatever it came in by. */
  | { readonly kind: "request" };

/** Facts of a piece of work, by their names. */
export type TracedFacts = Readonly<Record<string, string | number | boolean>>;

/** A piece of work. */
export interface TracedWork {
  /** For people: the kind of work, and the step or type. */
  readonly name: string;
  readonly of: TracedSubject;
  readonly facts: TracedFacts;
  /** When it began, epoch ms; now when left out. */
  readonly startedAt?: number;
}

/** How a piece of work ended. */
export interface TracedEnd {
  readonly facts?: TracedFacts;
  /** One sentence where it failed. */
  readonly failed?: string;
  /** What it led to, or came from. */
  readonly related?: readonly TracedSubject[];
}

/** Follows pieces of work. */
export interface Tracing {
  /**
   * Calls `act` once and gives what it gives; what `act` calls in turn is part of this piece of work. `tell` says of its
   * reply how it ended; what `act` throws is noted, and thrown.
   */
  follow<Reply>(
    work: TracedWork,
    act: () => Promise<Reply>,
    tell: (reply: Reply) => TracedEnd,
  ): Promise<Reply>;
}

/** Follows nothing. */
export const untraced: Tracing = { follow: (_work, act) => act() };
